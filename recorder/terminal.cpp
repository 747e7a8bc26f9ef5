// Text for a terminal out of the same blocks: tables aligned by display width, code indented,
// control characters already made visible. Nothing is cut, since a terminal wraps or is piped to a
// pager.
#include <algorithm>

#include "recorder/document_model.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

std::string plain_line(const Line& line) {
  std::string out;
  for (const Span& span : line) out += visible_line(span.text);
  return out;
}

std::string indented(const std::string& text, const std::string& indent) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += indent + text.substr(at, end - at);
    out += "\n";
    at = end + 1;
  }
  return out;
}

std::string plain_table(const Block& block) {
  std::vector<std::vector<std::string>> cells;
  std::vector<std::size_t> widths(block.rows[0].size(), 0);
  for (const std::vector<Line>& row : block.rows) {
    std::vector<std::string>& texts = cells.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      texts.push_back(plain_line(row[i]));
      const auto width = static_cast<std::size_t>(display_width(texts.back()));
      if (i < widths.size()) widths[i] = std::max(widths[i], width);
    }
  }
  std::string out;
  for (const std::vector<std::string>& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
      line += "  " + row[i];
      const auto width = static_cast<std::size_t>(display_width(row[i]));
      if (i + 1 < row.size()) line += std::string(widths[i] - width, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string to_terminal(const Document& document, bool color) {
  std::string out;
  for (const Block& block : document.blocks()) {
    if (block.kind == Block::Kind::kComment) continue;
    if (!out.empty()) out += "\n";
    switch (block.kind) {
      case Block::Kind::kHeading: {
        const std::string text = plain_line(block.line);
        out += color ? "\x1b[1m" + text + "\x1b[0m\n" : text + "\n";
        break;
      }
      case Block::Kind::kList:
        for (const std::vector<Line>& item : block.rows) out += "  - " + plain_line(item[0]) + "\n";
        break;
      case Block::Kind::kTable:
        out += plain_table(block);
        break;
      case Block::Kind::kCode:
        out += indented(visible(block.text), "    ");
        break;
      case Block::Kind::kProse:
        out += indented(visible(block.text), "  ");
        break;
      default:
        out += plain_line(block.line) + "\n";
    }
  }
  return out;
}

}  // namespace assay
