// Intervals, bands and single values drawn with characters, on one scale, against zero and the bar.
//
//   looks
//   look, 8 pairs      [----:----*---------]        |      +0.00 %
//   pairs, in the order they ran
//   pair 1                  :  o                    |      +0.40 %
//
//   : zero   | bar +5.00 %   [-*-] estimate and 95 % interval   o a value
//   scale -1.39 % to +5.30 %
//
// Invariants
//  1. A function of its arguments: no colour, no clock, no terminal; the same rows give the same
//     bytes.
//  2. No line has more than 92 columns, so that a terminal's indented block stays within 100.
//  3. The scale holds zero, the bar and every interval and band. Values may widen it by half of
//     that on either side; those beyond are drawn as < and >.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay {

struct PictureDot {
  double value = 0;  // a fraction
  bool dropped = false;
};

struct PictureRow {
  enum class Kind { kInterval, kBand, kDots };
  Kind kind = Kind::kInterval;
  std::string name;                        // cut at 22 columns
  double low = 0, estimate = 0, high = 0;  // fractions; a band has no estimate
  std::vector<PictureDot> dots = {};
  std::string note = {};  // behind the drawing; cut at 9 columns
};
PictureRow interval_row(std::string name, double low, double estimate, double high);
PictureRow band_row(std::string name, double low, double high, std::string note);
PictureRow dots_row(std::string name, std::vector<PictureDot> dots, std::string note);

struct PictureSection {
  std::string title;  // a line of its own, or ""
  std::vector<PictureRow> rows;
};

// Rows with a number that is not finite, or beyond a million, are left out, and sections without a
// row; "" when nothing is left.
std::string interval_picture(const std::vector<PictureSection>& sections,
                             std::optional<double> bar);

}  // namespace assay
