#include "core/sweep/sweep_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/json_values.h"
#include "core/text/message.h"

namespace ts::sweep {
namespace {

constexpr const char* kFormatKey = "tensorscope_sweep";
constexpr int kFormat = 1;

tl::unexpected<base::Error> cannot_write(const std::filesystem::path& path, int error) {
  return text::fail("file_error.write", {{"path", path.string()}, io::system_reason(error)});
}

tl::unexpected<base::Error> broken(const std::filesystem::path& path, std::size_t line,
                                   base::Message why) {
  return text::fail("file_error.line", {{"path", path.string()},
                                        {"line", std::to_string(line)},
                                        text::argument("reason", std::move(why))});
}

// The error of a line for one point: the file is complete without it.
tl::unexpected<base::Error> broken_point(const std::filesystem::path& path, std::size_t line,
                                         base::Message why) {
  return broken(path, line,
                text::message("journal_error.point", {text::argument("reason", std::move(why))}));
}

// A header cut off by a crash: nothing was measured, and no other file begins like this.
bool is_cut_header(std::string_view content) {
  constexpr std::string_view kBegin = "{\"identity\":";
  return content.find('\n') == std::string_view::npos &&
         content.substr(0, kBegin.size()) == kBegin.substr(0, content.size());
}

base::Result<void> read_header(const nlohmann::json& json, JournalContent& content) {
  if (!json.is_object() || !json.contains(kFormatKey)) {
    return text::fail("file_error.reason.no_journal");
  }
  if (json.at(kFormatKey) != kFormat) {
    return text::fail("file_error.reason.unknown_journal");
  }
  if (!json.contains("identity") || !json.at("identity").is_object() || !json.contains("sweep")) {
    return text::fail("file_error.reason.header");
  }
  content.identity = json.at("identity");
  TS_TRY(content.spec, sweep_spec_from_json(json.at("sweep")));
  return {};
}

// Locked, so that two programs never write the same sweep.
base::Result<io::Descriptor> open_locked(const std::filesystem::path& path, int flags) {
  constexpr mode_t kMode = 0666;
  io::Descriptor file(::open(path.c_str(), flags | O_WRONLY | O_APPEND | O_CLOEXEC, kMode));
  if (!file.is_open()) return cannot_write(path, errno);
  if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return text::fail("file_error.busy", {{"path", path.string()}});
  return file;
}

}  // namespace

base::Result<JournalContent> read_journal(const std::filesystem::path& path) {
  TS_TRY(const auto text, io::read_file(path));
  return parse_journal(text, path);
}

base::Result<JournalContent> parse_journal(std::string_view text,
                                           const std::filesystem::path& path) {
  JournalContent content;
  content.bytes = text.size();
  std::size_t begin = 0;
  for (std::size_t line = 1;; ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) {
      if (line == 1 && !is_cut_header(text)) {
        return broken(path, line, text::message("file_error.reason.no_journal"));
      }
      if (line == 1) {
        return broken(path, line, text::message("journal_error.cut_header"));
      }
      return content;  // a line cut off by a crash is dropped
    }
    auto parsed = io::parse_json(text.substr(begin, end - begin));
    if (!parsed) {
      const auto said = line == 1 ? &broken : &broken_point;
      return said(
          path, line,
          text::message("file_error.this", {text::argument("reason", std::move(parsed.error()))}));
    }
    nlohmann::json& json = *parsed;
    if (line > 1 && json.is_object() && json.contains("sweep")) {
      auto wider = sweep_spec_from_json(json.at("sweep"));
      if (!wider) return broken(path, line, wider.error());
      content.spec = std::move(*wider);
    } else if (line > 1) {
      content.points.push_back(std::move(json));
      content.lines.push_back(line);
    } else if (auto header = read_header(json, content); !header) {
      return broken(path, line, header.error());
    }
    begin = end + 1;
    content.complete_bytes = begin;
  }
}

bool is_new_journal(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return true;
  const auto text = io::read_file(path);
  return text && is_cut_header(*text);
}

base::Result<void> same_identity(const JournalContent& content, const SweepIdentity& identity,
                                 const std::filesystem::path& path) {
  for (const auto& [key, value] : identity.items()) {
    const nlohmann::json before = content.identity.value(key, nlohmann::json());
    if (before == value) continue;
    const auto shown = [](const nlohmann::json& one) {
      return one.is_string() ? one.get<std::string>() : one.dump();
    };
    return text::fail(
        "journal_error.identity",
        {{"path", path.string()}, {"key", key}, {"before", shown(before)}, {"now", shown(value)}});
  }
  return {};
}

base::Result<void> restore(Sweep& sweep, const JournalContent& content,
                           const std::filesystem::path& path) {
  for (std::size_t i = 0; i < content.points.size(); ++i) {
    const nlohmann::json& json = content.points[i];
    const std::size_t line = content.lines[i];
    try {
      const auto status = point_status_from(json.at("status").get<std::string>());
      if (!status) return broken_point(path, line, text::message("journal_error.status"));
      const auto label = json.at("series").get<std::string>();
      std::vector<std::int64_t> at;
      for (const SweepAxis& axis : sweep.spec().axes) {
        at.push_back(json.at("at").at(spec::field_name(axis.field)).get<std::int64_t>());
      }
      std::optional<std::size_t> point;
      for (std::size_t k = 0; k < sweep.points().size(); ++k) {
        const SweepPoint& one = sweep.points()[k];
        if (one.at == at && sweep.series()[one.series].label == label) point = k;
      }
      if (!point) return broken_point(path, line, text::message("journal_error.no_point"));
      sweep.forget(*point);  // earlier lines of the point are replaced
      sweep.predict({{*point, prediction_from_json(json)}});
      if (*status == PointStatus::ok || *status == PointStatus::oom ||
          *status == PointStatus::too_slow) {
        sweep.restore(*point, *status,
                      text::message_from_json(io::text_from(json, "reason"),
                                              json.value("reason_text", nlohmann::json())),
                      measurement_from_json(json));
      }
    } catch (const nlohmann::json::exception& error) {
      return broken_point(path, line, {error.what()});
    }
  }
  return {};
}

base::Result<SweepJournal> SweepJournal::create(const std::filesystem::path& path,
                                                const SweepSpec& spec,
                                                const SweepIdentity& identity) {
  const auto holds_another = [&path] {
    const auto there = io::read_file(path);
    return there && !is_cut_header(*there);
  };
  const auto refused =
      text::fail("journal_error.holds_one", {{"path", path.parent_path().string()}});
  if (holds_another()) return refused;
  TS_TRY(auto file, open_locked(path, O_CREAT));
  SweepJournal journal(path, std::move(file), 0);
  // Checked again under the lock. A new file is empty; one whose creator was killed has a part of
  // its header.
  if (holds_another()) return refused;
  if (::ftruncate(journal.file_.number(), 0) != 0) return cannot_write(path, errno);
  const nlohmann::json header = {
      {kFormatKey, kFormat}, {"identity", identity}, {"sweep", to_json(spec)}};
  if (auto written = journal.write_line(header.dump() + "\n"); !written) {
    ::unlink(path.c_str());  // without a header it is not a journal
    return tl::unexpected(written.error());
  }
  return journal;
}

base::Result<SweepJournal> SweepJournal::resume(const std::filesystem::path& path,
                                                const JournalContent& content) {
  TS_TRY(auto file, open_locked(path, 0));
  SweepJournal journal(path, std::move(file), content.complete_bytes);
  if (::lseek(journal.file_.number(), 0, SEEK_END) != static_cast<off_t>(content.bytes)) {
    return text::fail("journal_error.changed", {{"path", path.string()}});
  }
  if (::ftruncate(journal.file_.number(), static_cast<off_t>(content.complete_bytes)) != 0) {
    return cannot_write(path, errno);
  }
  return journal;
}

base::Result<void> SweepJournal::append(const nlohmann::json& point) {
  // The names of operators and files need not be UTF-8.
  waiting_.push_back(point.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  return write_waiting();
}

base::Result<void> SweepJournal::widen(const SweepSpec& spec) {
  return append({{"sweep", to_json(spec)}});
}

base::Result<void> SweepJournal::write_waiting() {
  while (!waiting_.empty()) {
    if (auto written = write_line(waiting_.front()); !written) return written;
    waiting_.erase(waiting_.begin());
  }
  return {};
}

base::Result<void> SweepJournal::write_line(const std::string& line) {
  std::string_view rest = line;
  int error = 0;
  while (!rest.empty() && error == 0) {
    const ssize_t written = ::write(file_.number(), rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  // Some file systems report a full disk only here; those that cannot sync return EINVAL.
  if (error == 0 && ::fdatasync(file_.number()) != 0 && errno != EINVAL) error = errno;
  if (error != 0) {
    // Removes a partial line, so that the file has whole lines only.
    if (::ftruncate(file_.number(), static_cast<off_t>(size_)) != 0) error = errno;
    return cannot_write(path_, error);
  }
  size_ += line.size();
  return {};
}

}  // namespace ts::sweep
