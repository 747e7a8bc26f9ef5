#include "engine/core/base64.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Base64, WritesThePaddingOfTheStandard) {
  EXPECT_EQ(to_base64("Man"), "TWFu");
  EXPECT_EQ(to_base64("Ma"), "TWE=");
  EXPECT_EQ(to_base64("M"), "TQ==");
  EXPECT_EQ(to_base64(""), "");
}

TEST(Base64, ReadsWhatItWrites) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    bytes += static_cast<char>(i * 7 + i / 256);
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes) << i;
  }
  EXPECT_EQ(from_base64(to_base64(std::string(5, '\0'))), std::string(5, '\0'));
}

TEST(Base64, RefusesEverythingElse) {
  for (const char* wrong : {"TQ", "TQ=", "T===", "====", "TQ==TQ==", "T!==", "TR==", " TWFu",
                            "TWFu\n", "TWF\n", "TW=u", "TWFuTWF"}) {
    EXPECT_EQ(from_base64(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace assay
