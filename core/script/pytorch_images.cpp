#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "core/script/pytorch_lines.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"

namespace ts::script {
namespace {

using Names = std::array<std::pair<std::string_view, std::string_view>, 10>;

// The encoder of a vision-language model has a block of its own, and constants.
constexpr Names kEncoderNames = {{{"attend", "attend_patches"},
                                  {"Attention", "EncoderAttention"},
                                  {"FeedForward", "EncoderFeedForward"},
                                  {"Block", "EncoderBlock"},
                                  {"T", "ENCODER_T"},
                                  {"D_MODEL", "ENCODER_D_MODEL"},
                                  {"D_FF", "ENCODER_D_FF"},
                                  {"HEADS", "ENCODER_HEADS"},
                                  {"KV_HEADS", "ENCODER_HEADS"},
                                  {"LAYERS", "ENCODER_LAYERS"}}};
// The positions of its language model are those of images and text.
constexpr Names kLanguageNames = {{{"T", "CONTEXT"}}};

bool is_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// The text with whole words replaced.
std::string renamed(std::string_view text, const Names& names) {
  std::string out;
  while (!text.empty()) {
    std::size_t end = 0;
    while (end < text.size() && is_of_name(text[end])) ++end;
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    for (const auto& [from, to] : names) {
      if (word == from && !word.empty()) {
        word = to;
        break;
      }
    }
    out += word;
    if (text.empty()) break;
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

class Images : public Lines {
 public:
  explicit Images(const WorkloadSpec& spec) : spec_(spec), encoder_(spec::encoder_of(spec)) {
    // A part without a backward is not run again.
    if (spec::frozen_parts(spec).encoder) encoder_.checkpoint = spec::Checkpoint::off;
  }

  std::string encoder() {
    add(pytorch_blocks(encoder_));
    if (encoder_.pool == spec::Pool::resampler) resampler();
    add("\n\nclass Encoder(nn.Module):\n    def __init__(self):\n        super().__init__()\n");
    parts();
    add(pytorch_run_method(encoder_));
    add("\n    def forward(self, images):\n");
    stem();
    add(pytorch_block_loop(encoder_));
    line(encoder_.pool == spec::Pool::resampler ? "        return self.resampler(self.norm(x))"
                                                : "        return self.norm(x)");
    return take();
  }

  std::string classes() {
    line("\n\nclass Model(Encoder):\n    def __init__(self):\n        super().__init__()");
    line(std::string("        self.head = ") +
         (spec::writing(spec_).products == spec::ProductForm::einsum ? "Linear" : "nn.Linear") +
         "(D_MODEL, VOCAB, bias=" + truth(spec_.bias) + ")");
    line("\n    def forward(self, images):\n        x = super().forward(images)");
    line(spec_.pool == spec::Pool::class_token ? "        return self.head(x[:, 0])"
                                               : "        return self.head(x.mean(1))");
    return take();
  }

  std::string projector() {
    line("\n\nclass Projector(nn.Module):\n    def __init__(self):\n        super().__init__()");
    const bool mlp = spec_.projector == spec::Projector::mlp;
    line(mlp ? "        self.up = nn.Linear(ENCODER_D_MODEL, D_MODEL)"
             : "        self.linear = nn.Linear(ENCODER_D_MODEL, D_MODEL)");
    if (mlp) line("        self.down = nn.Linear(D_MODEL, D_MODEL)");
    line("\n    def forward(self, x):");
    if (spec_.pool == spec::Pool::class_token) line("        x = x[:, 1:]");
    if (spec_.pool == spec::Pool::mean) {
      const auto side = std::lround(std::sqrt(static_cast<double>(spec_.image_tokens)));
      line("        grid = x.transpose(1, 2).unflatten(2, (IMAGE // PATCH, -1))");
      line("        x = F.adaptive_avg_pool2d(grid, " + number(side) +
           ").flatten(2).transpose(1, 2)");
    }
    line(mlp ? "        return self.down(F.gelu(self.up(x)))" : "        return self.linear(x)");
    return take();
  }

  std::string language() {
    const WorkloadSpec language = spec::language_of(spec_);
    const bool einsum = spec::writing(spec_).products == spec::ProductForm::einsum;
    const bool learned = spec_.positions == spec::Positions::learned;
    add(pytorch_blocks(language));
    add("\n\nclass Language(nn.Module):\n    def __init__(self):\n        super().__init__()\n");
    line("        self.embedding = nn.Embedding(VOCAB, D_MODEL)");
    if (learned) line("        self.positions = nn.Embedding(T, D_MODEL)");
    line(spec_.positions == spec::Positions::rope ? "        self.rope = Rope(D_MODEL // HEADS)"
                                                  : "        self.rope = None");
    line("        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))");
    line("        self.norm = " + norm_of(spec_));
    if (!spec_.tied) {
      line(std::string("        self.head = ") + (einsum ? "Linear" : "nn.Linear") +
           "(D_MODEL, VOCAB, bias=False)");
    }
    add(pytorch_run_method(language));
    line("\n    def forward(self, images, text):");
    line("        x = torch.cat((images, self.embedding(text)), 1)");
    if (learned) line("        x = x + self.positions.weight");
    // Else a checkpoint whose input needs no gradient would give its adapters none.
    if (spec::checkpointing(language) == spec::Checkpoint::blocks &&
        spec::trains_adapters(language))
      line("        x.requires_grad_()");
    add(pytorch_block_loop(language));
    line("        x = self.norm(x[:, images.shape[1]:])");
    line(!spec_.tied ? "        return self.head(x)"
         : einsum    ? "        return torch.einsum(\"...i,oi->...o\", x, self.embedding.weight)"
                     : "        return F.linear(x, self.embedding.weight)");
    return take();
  }

  std::string joined() {
    add(R"(

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.projector = Projector()
        self.language = Language()

    def forward(self, images, text):
        x = self.projector(self.encoder(images))
        return self.language(x.unflatten(0, (-1, IMAGES)).flatten(1, 2), text)
)");
    return take();
  }

 private:
  void resampler() {
    const std::string end = std::string("(D_MODEL, D_MODEL, bias=") + truth(encoder_.bias) + ")";
    add(R"(

class Resampler(nn.Module):
    """Learned queries attend to the tokens of an encoder."""

    def __init__(self):
        super().__init__()
        self.queries = nn.Parameter(torch.empty(IMAGE_TOKENS, D_MODEL))
)");
    for (const char* const name : {"q_proj", "k_proj", "v_proj", "o_proj"})
      line(std::string("        self.") + name + " = nn.Linear" + end);
    add(R"(
    def forward(self, x):
        q = self.q_proj(self.queries).expand(len(x), -1, -1)
        heads = [y.unflatten(-1, (HEADS, -1)).transpose(1, 2)
                 for y in (q, self.k_proj(x), self.v_proj(x))]
        return self.o_proj(attend(*heads).transpose(1, 2).flatten(-2))
)");
  }

  void parts() {
    const std::string bias = truth(encoder_.bias && !encoder_.stem_norm);
    line(encoder_.patches == spec::PatchForm::convolution
             ? "        self.patches = nn.Conv2d(3, D_MODEL, PATCH, stride=PATCH, bias=" + bias +
                   ")"
             : "        self.patches = nn.Linear(3 * PATCH**2, D_MODEL, bias=" + bias + ")");
    if (encoder_.pool == spec::Pool::class_token)
      line("        self.class_token = nn.Parameter(torch.empty(D_MODEL))");
    if (encoder_.positions == spec::Positions::learned)
      line("        self.positions = nn.Embedding(T, D_MODEL)");
    if (encoder_.stem_norm) line("        self.stem_norm = " + norm_of(encoder_));
    line(encoder_.positions == spec::Positions::rope ? "        self.rope = Rope(D_MODEL // HEADS)"
                                                     : "        self.rope = None");
    line("        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))");
    line("        self.norm = " + norm_of(encoder_));
    if (encoder_.pool == spec::Pool::resampler) line("        self.resampler = Resampler()");
  }

  void stem() {
    if (encoder_.patches == spec::PatchForm::convolution) {
      line("        x = self.patches(images).flatten(2).transpose(1, 2)");
    } else {
      add(R"(        side = IMAGE // PATCH
        cut = images[:, :, : side * PATCH, : side * PATCH]
        cut = cut.unflatten(3, (side, PATCH)).unflatten(2, (side, PATCH))
        x = self.patches(cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2))
)");
    }
    if (encoder_.pool == spec::Pool::class_token)
      line("        x = torch.cat((self.class_token.expand(len(x), 1, -1), x), 1)");
    if (encoder_.positions == spec::Positions::learned)
      line("        x = x + self.positions.weight");
    if (encoder_.stem_norm) line("        x = self.stem_norm(x)");
  }

  WorkloadSpec spec_;
  WorkloadSpec encoder_;
};

}  // namespace

std::string pytorch_image_constants(const WorkloadSpec& spec) {
  Lines lines;
  lines.constant("IMAGE", number(spec.image));
  lines.constant("PATCH", number(spec.patch));
  if (spec.pool == spec::Pool::resampler) lines.constant("IMAGE_TOKENS", number(spec.image_tokens));
  if (!joins_images(spec)) return lines.take();
  const WorkloadSpec encoder = spec::encoder_of(spec);
  lines.constant("IMAGES", number(spec.images));
  lines.constant("CONTEXT", number(spec::sequence_length(spec)));
  lines.constant("ENCODER_T", number(encoder.seq_len));
  lines.constant("ENCODER_D_MODEL", number(encoder.d_model));
  lines.constant("ENCODER_D_FF", number(encoder.d_ff));
  lines.constant("ENCODER_HEADS", number(encoder.heads));
  lines.constant("ENCODER_LAYERS", number(encoder.layers));
  return lines.take();
}

std::string pytorch_image_model(const WorkloadSpec& spec) {
  const std::string encoder = Images(spec).encoder();
  if (!joins_images(spec)) return encoder + Images(spec).classes();
  return renamed(encoder, kEncoderNames) + Images(spec).projector() +
         renamed(Images(spec).language(), kLanguageNames) + Images(spec).joined();
}

}  // namespace ts::script
