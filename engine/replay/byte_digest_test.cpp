#include "engine/replay/byte_digest.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/generate/digest.h"

namespace assay::replay {
namespace {

TEST(ByteDigest, IsThatOfTheWholeWhateverItsPiecesWere) {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(values));
  ByteDigest digest;
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    digest.add(bytes.subspan(at, std::min<std::size_t>(7, bytes.size() - at)));
  }
  EXPECT_EQ(digest.hex(), digest_of(values));
  digest.add(bytes.first(1));
  EXPECT_NE(digest.hex(), digest_of(values));
}

}  // namespace
}  // namespace assay::replay
