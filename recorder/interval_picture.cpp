// 57 columns for the drawing. The scale is rounded outwards by a twentieth so that no interval ends
// on the edge.
#include "recorder/interval_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "recorder/shown_value.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

constexpr int kColumns = 57;
constexpr int kNameColumns = 22;
constexpr int kNoteColumns = 9;
constexpr int kLineColumns = kNameColumns + 2 + kColumns + 2 + kNoteColumns;
constexpr double kMargin = 1.0 / 20;
constexpr double kMostEffect = 1e6;

using Kind = PictureRow::Kind;

bool drawable(double value) {
  return std::abs(value) <= kMostEffect;  // false for what is no number
}

bool drawable(const PictureRow& row) {
  if (row.kind != Kind::kDots) {
    return drawable(row.low) && drawable(row.estimate) && drawable(row.high);
  }
  return !row.dots.empty() && std::all_of(row.dots.begin(), row.dots.end(),
                                          [](auto dot) { return drawable(dot.value); });
}

std::vector<PictureSection> drawable_part(const std::vector<PictureSection>& all) {
  std::vector<PictureSection> sections;
  for (PictureSection section : all) {
    std::erase_if(section.rows, [](const PictureRow& row) { return !drawable(row); });
    if (!section.rows.empty()) sections.push_back(std::move(section));
  }
  return sections;
}

class Scale {
 public:
  Scale(const std::vector<PictureSection>& sections, std::optional<double> bar) {
    include(0);
    if (bar) include(*bar);
    for_rows(sections, [&](const PictureRow& row) {
      if (row.kind == Kind::kDots) return;
      include(row.low);
      include(row.estimate);
      include(row.high);
    });
    const double span = most_ - least_;
    const double lowest = least_ - span / 2, highest = most_ + span / 2;
    for_rows(sections, [&](const PictureRow& row) {
      for (const PictureDot& dot : row.dots) {
        if (!dot.dropped) include(span > 0 ? std::clamp(dot.value, lowest, highest) : dot.value);
      }
    });
    const double margin = std::max((most_ - least_) * kMargin, 1e-6);
    least_ -= margin;
    most_ += margin;
  }

  bool holds(double value) const { return value >= least_ && value <= most_; }
  std::size_t column(double value) const {
    const double place = (value - least_) / (most_ - least_) * (kColumns - 1);
    return static_cast<std::size_t>(std::clamp(std::round(place), 0.0, kColumns - 1.0));
  }
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  template <typename Act>
  static void for_rows(const std::vector<PictureSection>& sections, const Act& act) {
    for (const PictureSection& section : sections) {
      for (const PictureRow& row : section.rows) act(row);
    }
  }
  void include(double value) {
    least_ = std::min(least_, value);
    most_ = std::max(most_, value);
  }

  double least_ = 0, most_ = 0;
};

// Which marks a picture used, for its legend.
struct Used {
  bool interval = false, band = false, one = false, several = false, dropped = false,
       beyond = false;
};

class Painter {
 public:
  Painter(const Scale& scale, std::optional<double> bar) : scale_(scale), bar_(bar) {}

  std::string marks(const PictureRow& row) {
    std::string marks(kColumns, ' ');
    marks[scale_.column(0)] = ':';
    if (bar_) marks[scale_.column(*bar_)] = '|';
    if (row.kind == Kind::kDots) {
      dots(row, marks);
    } else {
      range(row, marks);
    }
    return marks;
  }

  std::string legend() const {
    std::string line = ": zero";
    if (bar_) line += "   | bar " + percent(*bar_);
    if (used_.interval) line += "   [-*-] estimate and 95 % interval";
    std::string values;
    const auto say = [&](bool said, const char* text) {
      if (said) values += (values.empty() ? "" : "   ") + std::string(text);
    };
    say(used_.band, "(-) plus and minus the rms");
    say(used_.one, "o a value");
    say(used_.several, "@ several");
    say(used_.dropped, "x dropped");
    say(used_.beyond, "< > beyond the scale");
    if (!values.empty()) line += "\n" + values;
    return line +
           fmt::format("\nscale {} to {}\n", percent(scale_.least()), percent(scale_.most()));
  }

 private:
  void range(const PictureRow& row, std::string& marks) {
    const std::size_t first = scale_.column(row.low), last = scale_.column(row.high);
    for (std::size_t i = first; i <= last; ++i) {
      if (marks[i] == ' ') marks[i] = '-';
    }
    const bool band = row.kind == Kind::kBand;
    marks[first] = band ? '(' : '[';
    marks[last] = band ? ')' : ']';
    if (!band) marks[scale_.column(row.estimate)] = '*';
    (band ? used_.band : used_.interval) = true;
  }

  // A dropped value is never hidden by others in its place.
  void dots(const PictureRow& row, std::string& marks) {
    for (const PictureDot& dot : row.dots) {
      char& mark = marks[scale_.column(dot.value)];
      if (!scale_.holds(dot.value)) {
        mark = dot.value < scale_.least() ? '<' : '>';
        used_.beyond = true;
      } else if (dot.dropped || mark == 'x') {
        mark = 'x';
        used_.dropped = true;
      } else if (mark == 'o' || mark == '@') {
        mark = '@';
        used_.several = true;
      } else if (mark != '<' && mark != '>') {
        mark = 'o';
        used_.one = true;
      }
    }
  }

  const Scale& scale_;
  std::optional<double> bar_;
  Used used_;
};

std::string fitted(const std::string& text, int columns) {
  return cut_to_width(visible_line(text), columns);
}

std::string trimmed_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

PictureRow interval_row(std::string name, double low, double estimate, double high) {
  PictureRow row;
  row.name = std::move(name);
  row.low = low;
  row.estimate = estimate;
  row.high = high;
  row.note = percent(estimate);
  return row;
}

PictureRow band_row(std::string name, double low, double high, std::string note) {
  PictureRow row;
  row.kind = Kind::kBand;
  row.name = std::move(name);
  row.low = low;
  row.estimate = (low + high) / 2;
  row.high = high;
  row.note = std::move(note);
  return row;
}

PictureRow dots_row(std::string name, std::vector<PictureDot> dots, std::string note) {
  PictureRow row;
  row.kind = Kind::kDots;
  row.name = std::move(name);
  row.dots = std::move(dots);
  row.note = std::move(note);
  return row;
}

std::string interval_picture(const std::vector<PictureSection>& all, std::optional<double> bar) {
  if (bar && !drawable(*bar)) bar.reset();
  const std::vector<PictureSection> sections = drawable_part(all);
  if (sections.empty()) return "";
  const Scale scale(sections, bar);
  Painter painter(scale, bar);
  int names = 0;
  for (const PictureSection& section : sections) {
    for (const PictureRow& row : section.rows) {
      names = std::max(names, display_width(fitted(row.name, kNameColumns)));
    }
  }
  std::string out;
  for (const PictureSection& section : sections) {
    if (!section.title.empty()) out += fitted(section.title, kLineColumns) + "\n";
    for (const PictureRow& row : section.rows) {
      const std::string name = fitted(row.name, kNameColumns);
      const auto gap = static_cast<std::size_t>(names - display_width(name));
      out += trimmed_line(name + std::string(gap, ' ') + "  " + painter.marks(row) + "  " +
                          fitted(row.note, kNoteColumns));
    }
    out += "\n";
  }
  return out + painter.legend();
}

}  // namespace assay
