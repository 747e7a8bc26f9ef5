// The same work on many experiments, on two threads: all that a command that was typed may take of
// a machine that others measure on.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <system_error>

namespace assay {

// Calls work(0) ... work(count - 1), each once, in any order. When some throw, the exception of the
// lowest one comes out, after all that had begun have ended.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work);

// The same for work so small that threads take a hundred at a time.
void in_parallel_pieces(std::size_t count, const std::function<void(std::size_t)>& work);

// What `work` gives, made in a thread of its own; where none can be had, by who asks for it.
template <typename Work>
auto meanwhile(const Work& work) {
  try {
    return std::async(std::launch::async, work);
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, work);
  }
}

}  // namespace assay
