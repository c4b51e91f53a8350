#include "core/spec/corpus.h"

#include <fmt/format.h>

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
    return base::fail(fmt::format(
        "The corpus {} has {} tokens, T = {} needs at least {}: lower T or take a longer text",
        spec.corpus, text::grouped(corpus->size()), spec.seq_len, text::grouped(spec.seq_len + 1)));
  }
  if (corpus->vocab() > spec.vocab) {
    return base::fail(fmt::format(
        "The corpus {} has {} different tokens, vocab is {}: raise vocab "
        "to {} or more",
        spec.corpus, text::grouped(corpus->vocab()), text::grouped(spec.vocab), corpus->vocab()));
  }
  return corpus;
}

std::string corpus_problem(const WorkloadSpec& spec) {
  if (!reads_corpus(spec)) return {};
  const auto corpus = open_corpus(spec);
  return corpus ? std::string() : corpus.error().sentence;
}

}  // namespace ts::spec
