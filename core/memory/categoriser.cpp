#include "core/memory/categoriser.h"

#include "core/base/check.h"

namespace ts::memory {

void Categoriser::born(BlockIndex block, base::Phase phase, bool graph_kept) {
  TS_CHECK(block == lives_.size());
  Life life;
  life.phase = phase;
  if (phase != base::Phase::setup) {
    const bool forward = phase == base::Phase::forward || phase == base::Phase::loss;
    life.fate = forward && graph_kept ? Fate::in_operator : Fate::open;
    undecided_.push_back(block);
    if (life.fate == Fate::in_operator) in_operator_.push_back(block);
  }
  lives_.push_back(life);
}

void Categoriser::owned(BlockIndex block, Category category, Changes& changes) {
  lives_[block].fate = Fate::decided;
  // An opened file tells each block's at once, so that none of its millions waits here.
  if (!undecided_.empty() && undecided_.back() == block) undecided_.pop_back();
  set(block, category, changes);
}

void Categoriser::operator_ended(Changes& changes) {
  for (const BlockIndex block : in_operator_) {
    Life& life = lives_[block];
    if (life.fate != Fate::in_operator) continue;
    life.fate = Fate::held;
    set(block, Category::activation, changes);
  }
  in_operator_.clear();
}

void Categoriser::phase_ended(base::Phase phase, Changes& changes) {
  std::size_t kept = 0;
  for (const BlockIndex block : undecided_) {
    Life& life = lives_[block];
    if (life.fate == Fate::decided) continue;
    if (life.phase != phase) {
      undecided_[kept++] = block;
      continue;
    }
    set(block, life.fate == Fate::open ? Category::temporary : Category::activation, changes);
    life.fate = Fate::decided;
  }
  undecided_.resize(kept);
  if (phase != base::Phase::setup) return;
  for (const BlockIndex block : freed_in_setup_) {
    if (lives_[block].category == Category::unknown) set(block, Category::temporary, changes);
  }
  freed_in_setup_ = {};
}

void Categoriser::refused() {
  for (const BlockIndex block : undecided_) {
    if (lives_[block].fate == Fate::held) lives_[block].fate = Fate::decided;
  }
}

std::size_t Categoriser::bytes() const {
  return lives_.capacity() * sizeof(Life) +
         (in_operator_.capacity() + undecided_.capacity() + freed_in_setup_.capacity()) *
             sizeof(BlockIndex);
}

}  // namespace ts::memory
