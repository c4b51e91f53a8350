#include "core/files/notes.h"

#include <algorithm>
#include <utility>

namespace ts::files {
namespace {

constexpr std::size_t kMostUndone = 100;

void sort(std::vector<Note>& notes) {
  std::ranges::stable_sort(notes, {}, &Note::time_ns);
}

}  // namespace

void Notes::keep() {
  after_.clear();
  before_.push_back(now_);
  if (before_.size() > kMostUndone) before_.erase(before_.begin());
}

void Notes::set(std::vector<Note> notes) {
  now_ = std::move(notes);
  sort(now_);
  before_.clear();
  after_.clear();
}

bool Notes::add(Note note) {
  if (now_.size() >= kMost) return false;
  keep();
  now_.push_back(std::move(note));
  sort(now_);
  return true;
}

void Notes::change(std::size_t index, const std::string& text) {
  if (index >= now_.size() || now_[index].text == text) return;
  if (text.empty()) return remove(index);
  keep();
  now_[index].text = text;
}

void Notes::remove(std::size_t index) {
  if (index >= now_.size()) return;
  keep();
  now_.erase(now_.begin() + static_cast<std::ptrdiff_t>(index));
}

std::optional<std::size_t> Notes::of_block(memory::BlockIndex block) const {
  const auto found = std::ranges::find(now_, std::optional(block), &Note::block);
  if (found == now_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - now_.begin());
}

void Notes::undo() {
  if (!can_undo()) return;
  after_.push_back(std::exchange(now_, std::move(before_.back())));
  before_.pop_back();
}

void Notes::redo() {
  if (!can_redo()) return;
  before_.push_back(std::exchange(now_, std::move(after_.back())));
  after_.pop_back();
}

}  // namespace ts::files
