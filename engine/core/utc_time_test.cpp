#include "engine/core/utc_time.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

TEST(UtcTime, HasMillisecondsAndSorts) {
  EXPECT_EQ(utc_text(system_clock::time_point(milliseconds(0))), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(system_clock::time_point(milliseconds(1'709'210'096'007))),
            "2024-02-29T12:34:56.007Z");
  EXPECT_EQ(utc_text(system_clock::time_point(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(UtcTime, IsReadAsItIsWritten) {
  for (const std::int64_t ms :
       {std::int64_t{0}, std::int64_t{1'709'210'096'007}, std::int64_t{-1}}) {
    const system_clock::time_point time{milliseconds(ms)};
    EXPECT_EQ(utc_time(utc_text(time)), time) << ms;
  }
  for (const char* none : {"", "yesterday", "2024-02-30T12:34:56.007Z", "2024-02-29T24:00:00.000Z",
                           "2024-02-29T12:34:56Z", "9999-99-99T00:00:00.000Z"}) {
    EXPECT_FALSE(utc_time(none)) << none;
  }
}

}  // namespace
}  // namespace assay
