#pragma once

#include <string>

namespace ts::fuzz {

// One function for each reader of the program: it reads what it is given as the content of a file.
// The reader may refuse it with a sentence. A crash, an error of a sanitizer or a refusal without a
// sentence ends the program. Only read_: what is asked of a file afterwards is in snapshot_target.h
// and trace_target.h.
//
// What stands behind a checksum is reached as well: a content that is no frame or archive is put
// into one whose checksums are right.
void read_snapshot(std::string bytes);
void read_trace(std::string bytes);
void read_packed(std::string bytes);     // gzip
void read_recording(std::string bytes);  // the file and the stream; "header\0records"
void read_session(std::string bytes);    // the archive, or its session.json
void read_model(std::string bytes);      // a .pt2, or its model.json
void read_config(std::string bytes);     // config.json of a language model
void read_lesson(std::string bytes);     // and drawn curves
void read_sweep(std::string bytes);      // its journal
void read_gpu_records(std::string bytes);

}  // namespace ts::fuzz
