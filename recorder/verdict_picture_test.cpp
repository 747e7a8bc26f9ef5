// The picture of a verdict, character by character; long runs keep their size.
#include "recorder/verdict_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "recorder/interval_picture.h"
#include "recorder/timed_attempt.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

TEST(VerdictPicture, ShowsLooksPairsAndHistoryOnOneScale) {
  EXPECT_EQ(verdict_picture(timed_attempt()), R"(looks
look, 8 pairs                 :                 |           [------*-------]      +10.00 %
guard:0, 8 pairs          [--*:--]              |                                 -0.10 %
confirmation, 2 pairs         :                 |     [----------*----------]     +9.50 %

pairs of stage ab in the order they ran
pair 1                        :                 |           o                     +8.00 %
pair 2                        :                 |                      o          +11.00 %
pair 3                        :                 |              o                  +9.00 %
pair 4                        :                 |                              >  dropped
pair 5                        :                 |                  o              +10.00 %
pair 6                        :                 |           o                     +8.00 %
pair 7                        :                 |                      o          +11.00 %
pair 8                        :                 |              o                  +9.00 %
pair 9                        :                 |                          o      +12.00 %

pairs of stage confirmation in the order they ran
pair 1                        :                 |              o                  +9.00 %
pair 2                        :                 |                  o              +10.00 %

A/A history at 8 pairs; oldest 2026-11-11, 18.5 days before the verdict
2026-11-11 08:00              :o                |                                 +0.40 %
2026-11-12 08:00            o :                 |                                 -0.40 %
rms, K 2                    (-:)                |                                 0.40 %

: zero   | bar +5.00 %   [-*-] estimate and 95 % interval
(-) plus and minus the rms   o a value   < > beyond the scale
scale -1.78 % to +13.18 %
)");
}

TEST(VerdictPicture, OfNothingTimedIsEmpty) {
  EXPECT_EQ(verdict_picture(AttemptView()), "");
}

TEST(VerdictPicture, OfPairsBeforeTheFirstLook) {
  AttemptView attempt;
  attempt.samples = {sample_of("ab", 0, 0.01), sample_of("ab", 1, -0.01)};
  EXPECT_EQ(verdict_picture(attempt), R"(pairs of stage ab in the order they ran
pair 1                              :                        o     +1.00 %
pair 2     o                        :                              -1.00 %

: zero
o a value
scale -1.10 % to +1.10 %
)");
}

TEST(VerdictPicture, StaysReadableWith96PairsAnd40Effects) {
  AttemptView attempt = timed_attempt(40);
  attempt.samples.clear();
  for (int i = 0; i < 96; ++i) {
    attempt.samples.push_back(sample_of("ab", i, 0.1 + 0.001 * (i % 7), i == 95 ? "busy" : ""));
  }
  const std::string picture = verdict_picture(attempt);
  std::istringstream lines(picture);
  int count = 0, widest = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    widest = std::max(widest, display_width(line));
  }
  EXPECT_EQ(count, 57) << picture;
  EXPECT_LE(widest, 92);
  for (const char* part :
       {"pairs of stage ab in the order they ran, 4 to a row\n", "\npairs 1 to 4 ",
        "\npairs 93 to 96 ", " 1 dropped\n", "; 2 to a row\n", "\nrms, K 40 "}) {
    EXPECT_NE(picture.find(part), std::string::npos) << part << picture;
  }
}

TEST(HistoryPicture, MarksWhatExcludesZero) {
  EXPECT_EQ(
      history_picture({{"2026-11-29T08:00:12.000Z", -0.01, 0, 0.01, false},
                       {"2026-11-29T09:00:12.000Z", 0.005, 0.01, 0.015, true}},
                      0.007),
      R"(2026-11-29 08:00       [-------------------*-------------------]               +0.00 %
2026-11-29 09:00 !                         :         [---------*---------]     +1.00 %
rms, K 2                     (-------------:-------------)                     0.70 %

: zero   [-*-] estimate and 95 % interval
(-) plus and minus the rms
scale -1.12 % to +1.62 %
)");
}

TEST(IntervalPicture, DrawsEveryRowOnOneScale) {
  EXPECT_EQ(interval_picture({{"",
                               {interval_row("ab, 6 pairs", -0.01, 0.02, 0.05),
                                interval_row("ab, 12 pairs", 0.015, 0.02, 0.025)}}},
                             0.01),
            R"(ab, 6 pairs      [-------:--------|-------*------------------------]     +2.00 %
ab, 12 pairs             :        |   [---*---]                          +2.00 %

: zero   | bar +1.00 %   [-*-] estimate and 95 % interval
scale -1.30 % to +5.30 %
)");
}

TEST(IntervalPicture, ValuesBeyondTheScaleAreAtItsEdgeAndDroppedOnesShow) {
  const std::vector<PictureRow> rows{
      interval_row("look", -0.01, 0, 0.01),
      dots_row("a name that is longer than its column",
               {{-1, false}, {1, false}, {0.005, false}, {0.005, false}}, "+100.00 %"),
      dots_row("other", {{0.004, false}, {0.004, true}, {0.004, false}}, "")};
  EXPECT_EQ(interval_picture({{"title", rows}}, std::nullopt),
            R"(title
look                                   [------------*------------]                 +0.00 %
a name that is longer…  <                           :     @                     >  +100.00 %
other                                               :    x

: zero   [-*-] estimate and 95 % interval
o a value   @ several   x dropped   < > beyond the scale
scale -2.20 % to +2.20 %
)");
}

TEST(IntervalPicture, LeavesOutWhatIsNoNumber) {
  const double none = std::nan("");
  EXPECT_EQ(interval_picture({}, 0.01), "");
  EXPECT_EQ(
      interval_picture({{"title",
                         {interval_row("look", none, 0, 1), dots_row("a", {}, ""),
                          dots_row("b", {{none, false}}, ""), band_row("c", -1e300, 1e300, "")}}},
                       0.01),
      "");
}

}  // namespace
}  // namespace assay
