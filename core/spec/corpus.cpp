#include "core/spec/corpus.h"

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::spec {

bool reads_corpus(const WorkloadSpec& spec) {
  return field_applies(spec, Field::corpus) && !spec.corpus.empty();
}

base::Result<io::Corpus> open_corpus(const WorkloadSpec& spec) {
  const bool bytes = spec.tokenizer == Tokenizer::byte;
  auto corpus = io::Corpus::open(
      spec.corpus, bytes ? io::Corpus::Tokens::bytes : io::Corpus::Tokens::characters);
  if (!corpus) return corpus;
  if (corpus->size() < spec.seq_len + 1) {
    return text::fail("corpus_error.short", {{"path", spec.corpus},
                                             {"tokens", text::grouped(corpus->size())},
                                             {"t", std::to_string(spec.seq_len)},
                                             {"needed", text::grouped(spec.seq_len + 1)}});
  }
  if (corpus->vocab() > spec.vocab) {
    return text::fail("corpus_error.vocab", {{"path", spec.corpus},
                                             {"tokens", text::grouped(corpus->vocab())},
                                             {"vocab", text::grouped(spec.vocab)},
                                             {"needed", std::to_string(corpus->vocab())}});
  }
  return corpus;
}

base::Message corpus_problem(const WorkloadSpec& spec) {
  if (!reads_corpus(spec)) return {};
  const auto corpus = open_corpus(spec);
  if (corpus) return {};
  return corpus.error();
}

}  // namespace ts::spec
