#pragma once

#include <cstdint>
#include <vector>

#include "core/spec/workload_spec.h"

// The properties of each workload, one row for each. They determine which settings matter, the
// parameters, FLOPs and bytes.
namespace ts::spec {

// Matrix products of the forward: each row of [rows, in] becomes a row of [rows, out].
struct Product {
  std::int64_t in = 0;
  std::int64_t out = 0;
  std::int64_t count = 1;
  std::int64_t stored = 0;  // matrices in memory, of which each row meets `count`; 0: `count`
  [[nodiscard]] std::int64_t matrices() const { return stored > 0 ? stored : count; }
};

// The axes of the series of a workload (run::ResultCurve), as files name them.
struct CurveAxes {
  const char* x = "";
  const char* y = "";
  bool log = false;  // both
};

struct WorkloadTraits {
  WorkloadKind kind;
  // The settings that apply to the workload.
  bool attends = false;         // heads, backend
  bool attention_only = false;  // d_head, T_kv and projections are its own; no d_model
  bool feed_forward = false;    // d_ff
  bool chooses_mlp = false;     // the setting mlp
  bool has_blocks = false;      // transformer blocks
  bool has_vocabulary = false;
  bool language_model = false;  // layers, a corpus, micro-batches, generation
  bool own_kernels = false;     // some of its operators have a kernel of ours, whatever the backend
  bool sees_images = false;     // image, patch and what follows; layers, micro-batches
  bool joins_images = false;    // an encoder of images and a language model
  bool normalises = false;      // one norm alone
  // One operator by itself, for its time and memory. Lists do not offer it.
  bool one_operator = false;
  // False: it compares the numbers of a forward in several types. There is no backward and nothing
  // to compile, and the types are not the user's.
  bool trains = true;
  // False: T additions and no input, so B, d_model and the seed do not matter.
  bool has_input = true;
  // Its operators and sizes are those of a file.
  bool from_file = false;
  CurveAxes curves = {};
  // Products of one forward, for every token; the scores of attention are not included.
  std::vector<Product> (*products)(const WorkloadSpec& spec);
  // Parameters in addition to the weights of `products`: biases, norms, embeddings.
  std::int64_t (*other_parameters)(const WorkloadSpec& spec);
};

const WorkloadTraits& traits_of(WorkloadKind kind);

// The products of `count` transformer blocks with the sizes of `spec`, from the block `first` on.
std::vector<Product> block_products(const WorkloadSpec& spec, std::int64_t first,
                                    std::int64_t count);
// The layers of one block that have an adapter, as products: none without.
std::vector<Product> adapted_products(const WorkloadSpec& spec);
// The products of the adapters of a forward, A and B of each; none where they are merged. Those of
// vlm are in its language model.
std::vector<Product> adapter_products(const WorkloadSpec& spec);
// Parameters of one block in addition to its products.
std::int64_t block_others(const WorkloadSpec& spec);
// The projector of a vision-language model.
std::vector<Product> projector_products(const WorkloadSpec& spec);
// Parameters that `frozen` and `frozen_layers` keep as they are.
std::int64_t frozen_count(const WorkloadSpec& spec);
// The number of attention calls in a forward: 0, 1, or one a layer.
std::int64_t attention_count(const WorkloadSpec& spec);

// A mixture of experts: a router sends each token to some of several feed-forward parts. count 0:
// there is one, without a router.
struct Experts {
  std::int64_t count = 0;
  std::int64_t per_token = 0;
  double capacity = 0;
  std::int64_t hidden = 0;  // width
  std::int64_t shared = 0;  // hidden width of the one that every token is sent to; 0: none
  bool gated = false;       // that one, by a sigmoid for each token
  ExpertWeights weights = ExpertWeights::normalised;
  double scale = 1;
  std::int64_t dense_layers = 0;  // the first blocks, which have none
  std::int64_t every = 1;
  [[nodiscard]] bool any() const { return count > 0; }
  // The blocks from `first` to before `end` of a model that have them.
  [[nodiscard]] std::int64_t blocks_with(std::int64_t first, std::int64_t end) const;
  // True if the blocks of a model are not alike.
  [[nodiscard]] bool some_layers() const { return any() && (dense_layers > 0 || every > 1); }
  // Tokens that each expert takes of `tokens`: capacity times what it would get if all got equally
  // many, rounded up, and no more than all. 0: all. Shapes follow from this alone, so memory does
  // not depend on where tokens go. (Fedus et al. 2022, "Switch Transformers", equation 3.)
  [[nodiscard]] std::int64_t room(std::int64_t tokens) const;
};
Experts experts(const WorkloadSpec& spec);

// Latent attention (DeepSeek-V2, 2024): keys and values of all heads are made of one vector of
// kv_rank numbers for a token, beside one key of `rope` numbers that all heads share and positions
// turn. Queries are made of q_rank numbers, or of the input. A head of queries and keys has
// nope + rope numbers, one of values `value`.
struct Latent {
  std::int64_t kv_rank = 0;
  std::int64_t q_rank = 0;
  std::int64_t nope = 0;
  std::int64_t rope = 0;
  std::int64_t value = 0;
  [[nodiscard]] bool any() const { return kv_rank > 0; }
};
Latent latent(const WorkloadSpec& spec);
// Whether the projections to queries, keys and values have biases, and heads of queries and keys
// norms.
bool has_query_biases(const WorkloadSpec& spec);
bool has_query_norms(const WorkloadSpec& spec);
// True if the heads of a block are other than d_model / heads wide, biased alone, normed or latent.
bool has_own_heads(const WorkloadSpec& spec);

// True if blocks or head are other than those of GPT-2 and Llama: block_form, post_norm, head_bias,
// softcaps, or positions that turn a part of each head.
bool has_own_form(const WorkloadSpec& spec);
// The numbers of a head that rotary positions turn.
std::int64_t turned_size(const WorkloadSpec& spec);
// The form of a block, and the last layer's own additions; the plain one where they do not apply.
BlockForm block_form(const WorkloadSpec& spec);
bool has_post_norms(const WorkloadSpec& spec);
bool has_head_bias(const WorkloadSpec& spec);
// Limits of scores and logits; 0: none.
struct Softcaps {
  double scores = 0;
  double logits = 0;
};
Softcaps softcaps(const WorkloadSpec& spec);

// Parameters that work on each token: all but the experts that it is not sent to.
std::int64_t active_count(const WorkloadSpec& spec);

// Sizes that follow from the settings of images, for the workloads vit (an encoder with classes)
// and vlm (encoder, projector, language model).

std::int64_t patch_count(const WorkloadSpec& spec);  // of one image: (image / patch)^2
// Tokens in the blocks of an encoder: the patches, and a class token where there is one.
std::int64_t encoder_length(const WorkloadSpec& spec);
// Tokens of one image that reach the language model of vlm, or the classes of vit.
std::int64_t tokens_of_image(const WorkloadSpec& spec);

// The encoder as settings of vit: T is encoder_length, no token is masked. That of vlm is as
// published ones are: LayerNorm, GELU, biases, learned positions, B x images sequences.
WorkloadSpec encoder_of(const WorkloadSpec& spec);
// The language model of vlm as settings of lm: T are the tokens of images and text.
WorkloadSpec language_of(const WorkloadSpec& spec);

// The parts of vlm that are not trained, as `frozen` says where it applies: all of them beside
// adapters that are.
struct FrozenParts {
  bool encoder = false;
  bool projector = false;
  bool language = false;
};
FrozenParts frozen_parts(const WorkloadSpec& spec);
// The blocks of lm or vit that are not trained; 0 where that does not apply.
std::int64_t frozen_layers(const WorkloadSpec& spec);

}  // namespace ts::spec
