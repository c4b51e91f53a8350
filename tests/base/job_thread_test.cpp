#include "core/base/job_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ts::base {
namespace {

using Thread = JobThread<int>;

void wait_until_idle(const Thread& thread) {
  while (thread.busy()) std::this_thread::yield();
}

// Waits for its cancellation.
void until_cancelled(const CancelToken& cancel) {
  while (!cancel.cancelled()) std::this_thread::yield();
}

TEST(JobThread, a_newer_request_cancels_the_one_in_progress_and_drops_the_waiting_one) {
  std::latch begun(1);
  std::vector<int> done, cancelled, dropped;
  {
    Thread thread({.work =
                       [&](int request, const CancelToken& cancel) {
                         if (request == 1) {
                           begun.count_down();
                           until_cancelled(cancel);
                         }
                         (cancel.cancelled() ? cancelled : done).push_back(request);
                       },
                   .dropped = [&](int request) { dropped.push_back(request); }});
    thread.submit(1);
    begun.wait();
    thread.submit(2, Thread::InProgress::keep);
    EXPECT_TRUE(dropped.empty());
    thread.submit(3);
    wait_until_idle(thread);
  }
  EXPECT_EQ(dropped, std::vector{2});
  EXPECT_EQ(cancelled, std::vector{1});
  EXPECT_EQ(done, std::vector{3});
}

TEST(JobThread, cancel_ends_what_runs_and_drops_what_waits) {
  std::latch begun(1);
  std::vector<int> ended, dropped;
  Thread thread({.work =
                     [&](int request, const CancelToken& cancel) {
                       begun.count_down();
                       until_cancelled(cancel);
                       ended.push_back(request);
                     },
                 .dropped = [&](int request) { dropped.push_back(request); }});
  EXPECT_FALSE(thread.busy());
  thread.submit(1);
  begun.wait();
  thread.submit(2, Thread::InProgress::keep);
  thread.cancel();
  wait_until_idle(thread);
  EXPECT_EQ(ended, std::vector{1});
  EXPECT_EQ(dropped, std::vector{2});
}

TEST(JobThread, begins_and_ends_on_its_thread_and_drops_at_the_end) {
  std::vector<std::string> order;
  std::latch loading(1), go(1);
  std::thread::id first, last;
  {
    Thread thread({.work = [&](int, const CancelToken&) { order.emplace_back("work"); },
                   .begin =
                       [&] {
                         first = std::this_thread::get_id();
                         loading.count_down();
                         go.wait();
                       },
                   .end =
                       [&] {
                         last = std::this_thread::get_id();
                         order.emplace_back("end");
                       },
                   .dropped = [&](int) { order.emplace_back("dropped"); }});
    loading.wait();
    thread.submit(1);
    // The destructor comes while the thread still begins: the request never starts.
    thread.cancel();
    go.count_down();
  }
  EXPECT_EQ(order, (std::vector<std::string>{"dropped", "end"}));
  EXPECT_EQ(first, last);
  EXPECT_NE(first, std::this_thread::get_id());
}

TEST(JobThread, idle_work_goes_on_between_requests_until_it_is_done) {
  std::atomic<int> parts = 0;
  std::promise<void> all;
  std::vector<int> done;
  Thread thread({.work = [&](int request, const CancelToken&) { done.push_back(request); },
                 .idle =
                     [&](const CancelToken&) {
                       if (++parts == 3) all.set_value();
                       return parts < 3;
                     }});
  thread.submit(1);
  wait_until_idle(thread);
  EXPECT_EQ(parts, 0) << "nobody woke it";
  thread.wake();
  all.get_future().wait();
  thread.submit(2);
  wait_until_idle(thread);
  EXPECT_EQ(parts, 3);
  EXPECT_EQ(done, (std::vector{1, 2}));
}

TEST(JobThread, a_request_and_a_wake_cancel_the_idle_part_in_progress) {
  std::atomic<int> begun = 0, cancelled = 0;
  Thread thread({.work = [](int, const CancelToken&) {},
                 .idle =
                     [&](const CancelToken& cancel) {
                       ++begun;
                       until_cancelled(cancel);
                       ++cancelled;
                       return false;
                     }});
  thread.wake();
  while (begun != 1) std::this_thread::yield();
  thread.wake();
  while (begun != 2) std::this_thread::yield();
  thread.submit(1);
  wait_until_idle(thread);
  EXPECT_EQ(cancelled, 2);
}

TEST(JobThread, work_learns_of_a_newer_request) {
  std::latch begun(1), submitted(1);
  std::atomic<bool> early = true, late = false, waited = false;
  Thread thread({.work = [&](int request, const CancelToken&) {
    if (request != 1) return;
    early = thread.superseded();
    begun.count_down();
    submitted.wait();
    late = thread.superseded();
    waited = thread.superseded_within(std::chrono::hours(1));
  }});
  thread.submit(1);
  begun.wait();
  thread.submit(2);
  submitted.count_down();
  wait_until_idle(thread);
  EXPECT_FALSE(early);
  EXPECT_TRUE(late);
  EXPECT_TRUE(waited);
}

TEST(JobThread, requests_of_many_threads_are_each_worked_on_or_dropped_once) {
  constexpr int kThreads = 4, kEach = 500;
  std::vector<std::atomic<int>> seen(kThreads * kEach);
  {
    JobThread<std::unique_ptr<int>> thread(
        {.work = [&](const std::unique_ptr<int>& request,
                     const CancelToken&) { ++seen[static_cast<std::size_t>(*request)]; },
         .dropped =
             [&](const std::unique_ptr<int>& request) {
               ++seen[static_cast<std::size_t>(*request)];
             }});
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < kThreads; ++caller) {
      callers.emplace_back([&, caller] {
        for (int i = 0; i < kEach; ++i) thread.submit(std::make_unique<int>(caller * kEach + i));
      });
    }
    callers.clear();
  }
  for (const auto& count : seen) EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace ts::base
