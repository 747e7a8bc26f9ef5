// A second stream that is in the way: it occupies some multiprocessors and turns the L2 over.
//
// A load is one kernel of 1 to 64 blocks that reads and writes a window of 64 to 256 MiB for 0.5 to
// 4 ms; every other load takes all shared memory of its multiprocessors, so that nothing else that
// wants some fits beside it. Sizes are drawn, the same in every run; what they meet is not.
// No CUDA header is needed here.
#pragma once

#include <memory>

namespace assay::replay {

class Disturbance {
 public:
  Disturbance();
  ~Disturbance();  // waits for the loads under way
  Disturbance(const Disturbance&) = delete;
  Disturbance& operator=(const Disturbance&) = delete;

  // Enqueues loads until four are there, the one that runs included.
  void keep_going();
  // Whether a load is there that has not ended.
  bool busy() const;
  int loads() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::replay
