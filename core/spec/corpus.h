#pragma once

#include "core/base/message.h"
#include "core/io/corpus.h"
#include "core/spec/workload_spec.h"

namespace ts::spec {

// The corpus of a spec, which has one, fit for it: as many tokens as a batch needs (T and the next
// one) and none beyond the vocabulary. The error is a sentence for the user.
base::Result<io::Corpus> open_corpus(const WorkloadSpec& spec);

// Whether the spec reads a corpus at all.
bool reads_corpus(const WorkloadSpec& spec);

// Why the corpus cannot be used; empty where it can, or where the spec reads none.
base::Message corpus_problem(const WorkloadSpec& spec);

}  // namespace ts::spec
