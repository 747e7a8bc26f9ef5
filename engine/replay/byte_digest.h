// XXH3-128 over bytes that come in pieces.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace assay::replay {

class ByteDigest {
 public:
  ByteDigest();
  ~ByteDigest();
  void add(std::span<const std::byte> bytes);
  // Of all that was added so far, as 32 hex digits; what its pieces were plays no part.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::replay
