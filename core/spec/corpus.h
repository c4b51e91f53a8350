#pragma once

#include "core/base/message.h"
#include "core/io/corpus.h"
#include "core/spec/workload_spec.h"

namespace ts::spec {

// Opens the corpus of a spec that has one and checks that it suits the spec: at least as many
// tokens as a batch needs (T and the next one) and none outside the vocabulary. The error is a
// sentence for the user.
base::Result<io::Corpus> open_corpus(const WorkloadSpec& spec);

// True if the spec reads a corpus.
bool reads_corpus(const WorkloadSpec& spec);

// Why the corpus cannot be used; empty if it can, or if the spec reads none.
base::Message corpus_problem(const WorkloadSpec& spec);

}  // namespace ts::spec
