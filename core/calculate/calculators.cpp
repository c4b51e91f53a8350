// The calculators, one after the other: what is chosen, then each line of the derivation.
#include "core/calculate/calculator.h"

namespace ts::calculate {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kThousandBillions = 1'000'000 * kMillion;
constexpr std::int64_t kLongest = 16 * kMillion;  // tokens of a sequence

// Inputs that several calculators have.
constexpr Input params(std::int64_t start) {
  return {.name = "params", .start = start, .least = 1, .most = 100 * kThousandBillions};
}
constexpr Input sequence(std::int64_t start) {
  return {.name = "T", .start = start, .least = 1, .most = kLongest};
}
constexpr Input width(std::int64_t start) {
  return {.name = "d_model", .start = start, .least = 1, .most = 1'000'000};
}
constexpr Input batch(std::int64_t start) {
  return {.name = "B", .start = start, .least = 1, .most = 1'000'000};
}
constexpr Input layers(std::int64_t start) {
  return {.name = "layers", .start = start, .least = 1, .most = 10'000};
}
constexpr Input ranks(std::int64_t start) {
  return {.name = "ranks", .start = start, .least = 1, .most = 1'000'000};
}
constexpr Input element(std::int64_t start) {
  return {.name = "element_bytes", .start = start, .least = 1, .most = 8};
}
constexpr Input card(std::int64_t start) {
  return {.name = "card_gb", .unit = "GB", .start = start, .least = 1, .most = 100'000};
}
constexpr Input head_size(std::int64_t start) {
  return {.name = "d_head", .start = start, .least = 1, .most = 65'536};
}
constexpr Input peak(std::int64_t start) {
  return {.name = "peak_tflops", .unit = "TFLOP/s", .start = start, .least = 1, .most = kMillion};
}
constexpr Input bandwidth(std::int64_t start) {
  return {.name = "bandwidth_gbs", .unit = "GB/s", .start = start, .least = 1, .most = kMillion};
}
constexpr Input ffn_width(std::int64_t start) {
  return {.name = "d_ff", .start = start, .least = 1, .most = 10 * kMillion};
}
constexpr Input vocabulary(std::int64_t start) {
  return {.name = "vocab", .start = start, .least = 1, .most = 100 * kMillion};
}
constexpr Input kFfnMatrices = {.name = "ffn_matrices", .start = 3, .least = 2, .most = 3};

std::vector<Calculator> made() {
  using enum Unit;
  return {
      {.id = "parameters",
       .source = "Vaswani et al. 2017; SwiGLU: Shazeer 2020",
       .inputs = {vocabulary(10'000),
                  width(768),
                  ffn_width(3072),
                  layers(12),
                  kFfnMatrices,
                  {.name = "tied", .start = 0, .least = 0, .most = 1}},
       .terms = {{"embedding", "vocab*d_model"},
                 {"attention", "4*d_model^2*layers"},
                 {"feed_forward", "ffn_matrices*d_model*d_ff*layers"},
                 {"norms", "(2*layers+1)*d_model"},
                 {"head", "(1-tied)*vocab*d_model"},
                 {"parameters", "embedding+attention+feed_forward+norms+head"},
                 {"training_bytes", "16*parameters", bytes}}},
      {.id = "step_flops",
       .source = "Kaplan et al. 2020, section 2.1, with the term of attention",
       .inputs = {batch(4), sequence(512), width(2560), ffn_width(10'240), layers(32),
                  vocabulary(10'000), kFfnMatrices},
       .terms = {{"projections", "2*B*T*layers*4*d_model^2", flops},
                 {"feed_forward_flops", "2*B*T*layers*ffn_matrices*d_model*d_ff", flops},
                 {"scores_flops", "4*layers*B*T^2*d_model", flops},
                 {"head_flops", "2*B*T*vocab*d_model", flops},
                 {"forward", "projections+feed_forward_flops+scores_flops+head_flops", flops},
                 {"training", "3*forward", flops},
                 {"checkpointed", "4*forward", flops}}},
      {.id = "mfu",
       .source = "PaLM, appendix B; nanoGPT, estimate_mfu",
       .inputs = {params(123'587'328),
                  layers(12),
                  width(768),
                  sequence(1024),
                  {.name = "sequences", .start = 24, .least = 1, .most = kMillion},
                  {.name = "step_us",
                   .unit = "\xc2\xb5s",
                   .start = 150'230,
                   .least = 1,
                   .most = kThousandBillions},
                  peak(312)},
       .terms = {{"weights_per_token", "6*params", flops},
                 {"attention_per_token", "12*layers*d_model*T", flops},
                 {"per_token", "weights_per_token+attention_per_token", flops},
                 {"per_step", "per_token*T*sequences", flops},
                 {"achieved", "per_step/(step_us*1e-6)", flop_rate},
                 {"mfu", "achieved/(peak_tflops*1e12)", share},
                 {"mfu_weights", "mfu*weights_per_token/per_token", share},
                 {"mfu_causal", "mfu*(weights_per_token+attention_per_token/2)/per_token", share}}},
      {.id = "tensors",
       .source = "shapes of the model",
       .inputs = {batch(4),
                  sequence(512),
                  width(2560),
                  {.name = "heads", .start = 32, .least = 1, .most = 65'536},
                  ffn_width(10'240),
                  vocabulary(10'000),
                  element(4)},
       .terms = {{"residual", "B*T*d_model*element_bytes", bytes},
                 {"scores", "B*heads*T^2*element_bytes", bytes},
                 {"ffn_activation", "B*T*d_ff*element_bytes", bytes},
                 {"logits", "B*T*vocab*element_bytes", bytes},
                 {"logits_fp32", "2*4*B*T*vocab", bytes}}},
      {.id = "attention_memory",
       .source = "one head in fp32, three projections; flash: Dao 2023, algorithm 1",
       .inputs = {batch(8),
                  sequence(8192),
                  width(16),
                  {.name = "workspace_kib",
                   .unit = "KiB",
                   .start = 16'640,
                   .least = 0,
                   .most = 10 * kMillion}},
       .terms = {{"saved_softmax", "4*B*T^2", bytes},
                 {"saved_linear", "6*4*B*T*d_model", bytes},
                 {"saved_weights", "6*512*ceil(4*d_model^2/512)", bytes},
                 {"before_backward",
                  "workspace_kib*1024+saved_softmax+saved_linear+saved_weights+512", bytes},
                 {"forward_scores", "2*saved_softmax", bytes},
                 {"backward_scores", "3*saved_softmax", bytes},
                 // Its softmax makes the gradient times the result a tensor of its own.
                 {"backward_scores_cuda", "4*saved_softmax", bytes},
                 {"flash_saved", "16*B*T*d_model+4*B*T", bytes}}},
      {.id = "training_memory",
       .source = "ZeRO (Rajbhandari et al. 2020), section 3.1",
       .inputs = {params(7'000'000'000),
                  {.name = "weight_bytes", .start = 2, .least = 1, .most = 8},
                  {.name = "gradient_bytes", .start = 2, .least = 0, .most = 8},
                  {.name = "moment_bytes", .start = 8, .least = 0, .most = 16},
                  {.name = "master_bytes", .start = 0, .least = 0, .most = 8},
                  card(80)},
       .terms = {{"weights", "weight_bytes*params", bytes},
                 {"gradients", "gradient_bytes*params", bytes},
                 {"moments", "moment_bytes*params", bytes},
                 {"master", "master_bytes*params", bytes},
                 {"model_states", "weights+gradients+moments+master", bytes},
                 {"left", "card_gb*1e9-model_states", bytes}}},
      {.id = "zero",
       .source = "ZeRO (Rajbhandari et al. 2020), figure 1 and section 7",
       .inputs = {params(7'000'000'000),
                  ranks(8),
                  {.name = "weight_bytes", .start = 2, .least = 1, .most = 8},
                  {.name = "gradient_bytes", .start = 2, .least = 0, .most = 8},
                  {.name = "state_bytes", .start = 8, .least = 0, .most = 16}},
       .terms = {{"replicated", "(weight_bytes+gradient_bytes+state_bytes)*params", bytes},
                 {"zero1", "(weight_bytes+gradient_bytes+state_bytes/ranks)*params", bytes},
                 {"zero2", "(weight_bytes+(gradient_bytes+state_bytes)/ranks)*params", bytes},
                 {"zero3", "(weight_bytes+gradient_bytes+state_bytes)/ranks*params", bytes},
                 {"traffic", "2*(ranks-1)/ranks*gradient_bytes*params", bytes},
                 {"traffic3", "(ranks-1)/ranks*(2*weight_bytes+gradient_bytes)*params", bytes}}},
      {.id = "lora",
       .source = "LoRA (Hu et al. 2021), section 4",
       .inputs = {{.name = "rank", .start = 64, .least = 1, .most = 65'536},
                  {.name = "rows", .start = 4096, .least = 1, .most = kMillion},
                  {.name = "columns", .start = 4096, .least = 1, .most = kMillion},
                  {.name = "matrices", .start = 4, .least = 1, .most = 1000},
                  // PEFT keeps adapters in fp32 beside weights of 16 bits.
                  {.name = "adapter_bytes", .start = 4, .least = 2, .most = 4},
                  layers(32),
                  params(6'738'415'616)},
       .terms = {{"trainable", "layers*matrices*rank*(rows+columns)"},
                 {"trainable_share", "trainable/params", share},
                 {"frozen", "2*params", bytes},
                 {"adapter_states", "(2*adapter_bytes+8)*trainable", bytes},
                 {"lora_total", "frozen+adapter_states", bytes},
                 {"full_states", "12*params", bytes}}},
      {.id = "kv_cache",
       .source = "Pope et al. 2022, section 3.3",
       .inputs = {layers(32),
                  batch(1),
                  {.name = "kv_heads", .start = 8, .least = 1, .most = 65'536},
                  sequence(8192),
                  head_size(128),
                  element(2)},
       .terms = {{"kv_token", "2*layers*kv_heads*d_head*element_bytes", bytes},
                 {"kv_sequence", "kv_token*T", bytes},
                 {"kv_total", "kv_sequence*B", bytes}}},
      {.id = "fp8",
       .source = "Micikevicius et al. 2022: one byte for each value, fp32 scales",
       .inputs =
           {{.name = "elements", .start = 16'777'216, .least = 1, .most = 100 * kThousandBillions},
            {.name = "block", .start = 16'384, .least = 1, .most = 100 * kThousandBillions}},
       .terms = {{"fp8_values", "elements", bytes},
                 {"fp8_scales", "4*ceil(elements/block)", bytes},
                 {"fp8_total", "fp8_values+fp8_scales", bytes},
                 {"of_16_bit", "fp8_total/(2*elements)", share}}},
      {.id = "attention_io",
       .source = "FlashAttention (Dao et al. 2022), theorem 2; counted for one head",
       .inputs = {sequence(1024),
                  head_size(64),
                  {.name = "block_q", .start = 64, .least = 1, .most = 65'536},
                  element(2)},
       .terms = {{"naive_elements", "4*T^2+4*T*d_head"},
                 {"tiled_elements", "2*T*d_head+T+2*T*d_head*ceil(T/block_q)"},
                 {"io_ratio", "naive_elements/tiled_elements", times},
                 {"attention_flops", "4*T^2*d_head", flops},
                 {"naive_intensity", "attention_flops/(naive_elements*element_bytes)",
                  flops_per_byte},
                 {"tiled_intensity", "attention_flops/(tiled_elements*element_bytes)",
                  flops_per_byte}}},
      {.id = "tile_memory",
       .source = "tiles of FlashAttention-2 in shared memory",
       .inputs = {{.name = "stages", .start = 2, .least = 1, .most = 16},
                  element(4),
                  head_size(64),
                  {.name = "block_q", .start = 64, .least = 1, .most = 65'536},
                  {.name = "block_k", .start = 64, .least = 1, .most = 65'536},
                  {.name = "limit_bytes", .start = 101'376, .least = 1, .most = 100 * kMillion}},
       .terms = {{"tiles", "stages*element_bytes*d_head*(block_q+2*block_k)", bytes},
                 {"tile_scores", "4*block_q*block_k", bytes},
                 {"tile_total", "tiles+tile_scores", bytes},
                 {"tile_left", "limit_bytes-tile_total", bytes}}},
      {.id = "roofline",
       .source = "Williams et al. 2009",
       .inputs = {peak(312),
                  bandwidth(2039),
                  {.name = "flops_per_byte",
                   .unit = "FLOP/byte",
                   .start = 100,
                   .least = 1,
                   .most = kMillion}},
       .terms = {{"ridge", "peak_tflops*1e12/(bandwidth_gbs*1e9)", flops_per_byte},
                 {"bandwidth_bound", "bandwidth_gbs*1e9*flops_per_byte", flop_rate},
                 {"reachable", "min(peak_tflops*1e12, bandwidth_bound)", flop_rate},
                 {"reachable_share", "reachable/(peak_tflops*1e12)", share}}},
      {.id = "all_reduce",
       .source = "ring: Patarasuk and Yuan 2009",
       .inputs =
           {params(13'000'000'000),
            {.name = "gradient_bytes", .start = 2, .least = 1, .most = 8},
            ranks(8),
            bandwidth(300),
            {.name = "latency_us", .unit = "\xc2\xb5s", .start = 5, .least = 0, .most = kMillion},
            {.name = "tokens_rank", .start = 8192, .least = 1, .most = kThousandBillions},
            peak(312),
            {.name = "mfu_percent", .unit = "%", .start = 40, .least = 1, .most = 100},
            {.name = "overlap_percent", .unit = "%", .start = 0, .least = 0, .most = 100}},
       .terms = {{"gradient", "gradient_bytes*params", bytes},
                 {"ring_bytes", "2*(ranks-1)/ranks*gradient", bytes},
                 {"transfer", "ring_bytes/(bandwidth_gbs*1e9)", seconds},
                 {"hops", "2*(ranks-1)*latency_us*1e-6", seconds},
                 {"communication", "transfer+hops", seconds},
                 {"computation", "6*params*tokens_rank/(peak_tflops*1e12*mfu_percent/100)",
                  seconds},
                 {"comm_ratio", "communication/computation", share},
                 {"exposed", "communication*(1-overlap_percent/100)", seconds}}},
      {.id = "power_sgd",
       .source = "PowerSGD (Vogels et al. 2019)",
       .inputs = {{.name = "rows", .start = 4096, .least = 1, .most = kMillion},
                  {.name = "columns", .start = 4096, .least = 1, .most = kMillion},
                  {.name = "rank", .start = 2, .least = 1, .most = 65'536}},
       .terms = {{"full_elements", "rows*columns"},
                 {"factor_elements", "rank*(rows+columns)"},
                 {"compression", "full_elements/factor_elements", times}}},
      {.id = "pipeline",
       .source = "GPipe (Huang et al. 2019), section 2.3",
       .inputs = {{.name = "pipeline_stages", .start = 4, .least = 1, .most = 10'000},
                  {.name = "micro_batches", .start = 8, .least = 1, .most = 100'000},
                  {.name = "stage_ms", .unit = "ms", .start = 10, .least = 1, .most = kMillion}},
       .terms = {{"useful", "micro_batches*stage_ms*1e-3", seconds},
                 {"pipeline_time", "(micro_batches+pipeline_stages-1)*stage_ms*1e-3", seconds},
                 {"bubble", "(pipeline_stages-1)/(micro_batches+pipeline_stages-1)", share}}},
      {.id = "loader",
       .source = "a pipeline of stages: latency is their sum, the period the slowest of them",
       .inputs = {{.name = "read_ms", .unit = "ms", .start = 50, .least = 1, .most = kMillion},
                  {.name = "workers", .start = 4, .least = 1, .most = 10'000},
                  {.name = "gpu_ms", .unit = "ms", .start = 15, .least = 1, .most = kMillion},
                  {.name = "copy_ms", .unit = "ms", .start = 20, .least = 1, .most = kMillion}},
       .terms = {{"read_each", "read_ms*1e-3/workers", seconds},
                 {"latency", "read_each+gpu_ms*1e-3+copy_ms*1e-3", seconds},
                 {"period", "max(read_each, max(gpu_ms, copy_ms)*1e-3)", seconds},
                 {"batches_per_second", "1/period"}}},
      {.id = "accumulation",
       .source = "effective batch: batch, steps of accumulation and ranks multiplied",
       .inputs = {{.name = "target_batch", .start = 256, .least = 1, .most = kMillion},
                  batch(48),
                  ranks(1)},
       .terms = {{"accumulate", "max(1, floor(target_batch/(B*ranks)))"},
                 {"effective_batch", "accumulate*B*ranks"},
                 {"drift", "effective_batch/target_batch-1", share}}},
      {.id = "recommended_batch",
       .source = "rule of the FlashAttention performance lab; below its bands at least 1",
       .inputs = {card(16), sequence(2048), {.name = "large", .start = 0, .least = 0, .most = 1}},
       .terms = {{"batch_size",
                  "max(1, if(T<=512, min(16, floor(card_gb/2)), if(T<=1024, "
                  "min(8, floor(card_gb/3)), if(T<=2048, min(4, floor(card_gb/4)), "
                  "if(T<=4096, min(2, floor(card_gb/8)), 1)))))"},
                 {"accumulate", "max(1, floor(32/batch_size))"},
                 {"effective_batch", "batch_size*accumulate"},
                 {"checkpointing", "if(T<=1024, large, 1)"},
                 {"faster_from", "if(T<=1024, 2, if(T<=2048, 3, 5))", times},
                 {"faster_to", "if(T<=1024, 3, if(T<=2048, 5, 8))", times},
                 {"saved_from", "if(T<=1024, 0.3, if(T<=2048, 0.4, 0.5))", share},
                 {"saved_to", "if(T<=1024, 0.4, if(T<=2048, 0.5, 0.7))", share}}},
  };
}

}  // namespace

std::span<const Calculator> calculators() {
  static const std::vector<Calculator> all = made();
  return all;
}

}  // namespace ts::calculate
