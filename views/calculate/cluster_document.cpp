#include "views/calculate/cluster_document.h"

#include "views/common/spec_text.h"

namespace ts::views {

std::string cluster_document(const cluster::ClusterRequest& request,
                             const cluster::ClusterAnswer& answer, const std::string& format,
                             const text::Texts& texts) {
  const io::TextTable table = cluster::cluster_table(answer, texts);
  const std::string title = message_text(texts, cluster::cluster_sentence(request, answer));
  return io::table_document(table, format, title, "cluster",
                            "\n" + message_text(texts, cluster::cluster_note(request)) + "\n");
}

}  // namespace ts::views
