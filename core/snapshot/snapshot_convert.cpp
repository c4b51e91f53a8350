#include "core/snapshot/snapshot_convert.h"

#include "core/snapshot/snapshot_fields.h"
#include "core/text/message.h"

namespace ts::snapshot {
namespace {

using Key = SnapshotKey;
using Kind = Document::Kind;
using Value = Document::Value;

bool read_divisions(SnapshotFields& fields, Value dict,
                    allocator::SnapshotSetting::Divisions& divisions) {
  bool good = true;
  fields.document.for_each_entry(dict, [&](Value name, Value value) {
    const auto count = fields.document.as_integer(value);
    good = fields.visit() && Document::kind(name) == Kind::text && count;
    if (good) divisions.emplace_back(fields.string_id(name), *count);
    return good;
  });
  return good;
}

// Returns false for kinds that no setting has.
bool read_setting(SnapshotFields& fields, Value value, allocator::SnapshotSetting& setting) {
  switch (Document::kind(value)) {
    case Kind::boolean:
      setting.value = *Document::as_boolean(value);
      return true;
    case Kind::integer:
      if (const auto number = fields.document.as_integer(value)) {
        setting.value = *number;
      } else {
        // SIZE_MAX, which PyTorch otherwise writes as -1.
        setting.value = std::int64_t{-1};
      }
      return true;
    case Kind::real:
      setting.value = *fields.document.as_real(value);
      return true;
    case Kind::text:
      setting.value = fields.string_id(value);
      return true;
    case Kind::dict:
      return read_divisions(fields, value,
                            setting.value.emplace<allocator::SnapshotSetting::Divisions>());
    default:
      return false;
  }
}

bool read_annotation(SnapshotFields& fields, Value dict,
                     allocator::ExternalAnnotation& annotation) {
  return fields.each_entry(dict, [&](Key key, Value name, Value value) {
    return fields.optional(key, value, [&] {
      switch (key) {
        case Key::name:
          return fields.string(key, value, annotation.name);
        case Key::stage:
          return fields.string(key, value, annotation.stage);
        case Key::device:
          return fields.device(key, value, annotation.device);
        case Key::time_us:
          return fields.integer(key, value, annotation.time_us);
        default:
          fields.ignore(name);
          return true;
      }
    });
  });
}

void read_top_level(SnapshotFields& fields, Key key, Value name, Value value) {
  if (Document::kind(value) == Kind::none) return;
  switch (key) {
    case Key::segments:
      if (fields.is(Kind::list, key, value, "a list")) read_segments(fields, value);
      break;
    case Key::device_traces:
      if (fields.is(Kind::list, key, value, "a list")) read_device_traces(fields, value);
      break;
    case Key::allocator_settings:
      if (fields.is(Kind::dict, key, value, "a dictionary")) read_allocator_settings(fields, value);
      break;
    case Key::external_annotations:
      if (fields.is(Kind::list, key, value, "a list")) read_external_annotations(fields, value);
      break;
    default:
      fields.ignore(name);
  }
}

}  // namespace

void read_allocator_settings(SnapshotFields& fields, Value dict) {
  fields.snapshot.allocator_settings.clear();
  fields.document.for_each_entry(dict, [&](Value name, Value value) {
    auto& settings = fields.snapshot.allocator_settings;
    allocator::SnapshotSetting& setting = settings.emplace_back();
    if (Document::kind(name) == Kind::text && read_setting(fields, value, setting)) {
      setting.name = fields.string_id(name);
    } else {
      settings.pop_back();
      fields.ignore(name);
    }
    return fields.visit();
  });
}

void read_external_annotations(SnapshotFields& fields, Value list) {
  fields.snapshot.external_annotations.clear();
  fields.each_item(name_of(Key::external_annotations), list, [&](Value item) {
    allocator::ExternalAnnotation annotation;
    if (!read_annotation(fields, item, annotation)) return false;
    fields.snapshot.external_annotations.push_back(annotation);
    return true;
  });
}

SnapshotFile convert_snapshot(Document& document, Value root) {
  SnapshotFile file;
  SnapshotFields fields(document, file);
  // torch.cuda.memory_snapshot() returns only the list of segments.
  if (Document::kind(root) == Kind::list) {
    read_segments(fields, root);
    file.snapshot.layout = fields.layout();
    return file;
  }
  bool any = false;
  bool saved_by_us = false;
  if (Document::kind(root) == Kind::dict) {
    document.for_each_entry(root, [&](Value name, Value) {
      fields.lists_of_traces += fields.key_of(name) == Key::device_traces ? 1 : 0;
      return true;
    });
    document.for_each_entry(root, [&](Value name, Value value) {
      const Key key = fields.key_of(name);
      any = any || key == Key::segments || key == Key::device_traces;
      saved_by_us = saved_by_us || document.as_text(name) == "environment";
      read_top_level(fields, key, name, value);
      return fields.visit();
    });
  }
  file.snapshot.layout = fields.layout();
  if (!any) {
    fields.note(text::message(saved_by_us ? "file_error.reason.saved_result"
                                          : "file_error.reason.no_snapshot"));
  }
  return file;
}

}  // namespace ts::snapshot
