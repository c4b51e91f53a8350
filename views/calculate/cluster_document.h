#pragma once

#include <string>

#include "core/cluster/cluster_hunt.h"

namespace ts::views {

// The sentence, the table and what its numbers are bounds of, in the language of the texts.
// `format` is md, csv (the table alone) or tex.
std::string cluster_document(const cluster::ClusterRequest& request,
                             const cluster::ClusterAnswer& answer, const std::string& format,
                             const text::Texts& texts);

}  // namespace ts::views
