// Markdown out of blocks. The rule: nothing in raw text may act.
//
// Inline text has every character escaped that GitHub's Markdown could take as markup; HTML is
// written as entities. An author's prose keeps its lists, emphasis, code spans and fences, because
// lessons need them; HTML, links, images and headings in it show as text. Code spans are found as
// CommonMark finds them (runs of equal length), or what looks quoted to us could be live to it.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "recorder/document_model.h"
#include "recorder/visible_text.h"

namespace assay {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

void append_entity(std::string& out, char c) {
  if (c == '<') {
    out += "&lt;";
  } else if (c == '>') {
    out += "&gt;";
  } else {
    out += "&amp;";
  }
}

bool word_char(const std::string& text, std::size_t at) {
  return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0);
}

// A list mark, heading, rule or quotation at the start of a line.
std::string escape_line_start(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos) return "";
  std::string rest = line.substr(at);
  const bool mark = (rest[0] == '-' || rest[0] == '+') &&
                    (rest.size() == 1 || rest[1] == ' ' || rest[1] == rest[0]);
  if (mark || rest[0] == '#' || rest[0] == '=') return rest.insert(0, 1, '\\');
  const std::size_t digits = rest.find_first_not_of("0123456789");
  const bool numbered = digits != 0 && digits != std::string::npos &&
                        (rest[digits] == '.' || rest[digits] == ')') &&
                        (digits + 1 == rest.size() || rest[digits + 1] == ' ');
  if (numbered) rest.insert(digits, "\\");
  return rest;
}

std::string longest_ticks(const std::string& text, std::size_t least) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(std::max(least, longest + 1), '`');
}

std::string escape_prose_line(const std::string& line) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    const char c = line[at];
    if (c == '`') {
      const std::size_t end = std::min(line.find_first_not_of('`', at), line.size());
      const std::size_t size = end - at;
      std::size_t close = end;
      while (close < line.size()) {  // the next run of exactly this length
        close = line.find('`', close);
        if (close == std::string::npos) break;
        const std::size_t after = std::min(line.find_first_not_of('`', close), line.size());
        if (after - close == size) break;
        close = after;
      }
      if (close == std::string::npos || close >= line.size()) {
        for (std::size_t i = 0; i < size; ++i) out += "\\`";
        at = end;
      } else {
        out += line.substr(at, close + size - at);
        at = close + size;
      }
      continue;
    }
    if (c == '<' || c == '>' || c == '&') {
      append_entity(out, c);
    } else {
      if (c == '[' || c == ']' || c == '\\' || c == '|') out += '\\';
      out += c;
    }
    ++at;
  }
  return out;
}

// The fence that a line opens, or "": three or more of ` or ~, indented by at most three spaces.
std::string fence_of(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos || at > 3 || (line[at] != '`' && line[at] != '~')) return "";
  const std::size_t end = std::min(line.find_first_not_of(line[at], at), line.size());
  if (end - at < 3) return "";
  if (line[at] == '`' && line.find('`', end) != std::string::npos) return "";
  return line.substr(at, end - at);
}

bool closes(const std::string& line, const std::string& fence) {
  const std::string found = fence_of(line);
  return found.size() >= fence.size() && found[0] == fence[0] &&
         line.find_first_not_of(" ", line.find(found) + found.size()) == std::string::npos;
}

std::string prose_line(const std::string& line) {
  const std::size_t at = line.find_first_not_of(' ');
  if (at == std::string::npos) return "";
  const bool only_rule = line.find_first_not_of("-= ", at) == std::string::npos;
  std::string escaped = escape_prose_line(line);
  if (line[at] == '#' || only_rule) escaped.insert(at, "\\");
  return escaped;
}

std::string markdown_prose(const std::string& text) {
  std::string out, fence;
  for (const std::string& line : lines_of(visible(text))) {
    if (!fence.empty()) {
      out += line + "\n";
      if (closes(line, fence)) fence.clear();
      continue;
    }
    fence = fence_of(line);
    out += (fence.empty() ? prose_line(line) : line) + "\n";
  }
  if (!fence.empty()) out += fence + "\n";  // left open by its author
  return out;
}

// What may stand in a line of Markdown as it is, whatever is beside it.
constexpr std::array<bool, 256> kHarmless = [] {
  std::array<bool, 256> harmless{};
  for (unsigned c = 0x20; c < 0x7F; ++c) harmless[c] = true;
  for (const char c : std::string_view("<>&_\\`*[]|~$"))
    harmless[static_cast<unsigned char>(c)] = false;
  return harmless;
}();

std::size_t harmless_until(std::string_view text, std::size_t at) {
  while (at < text.size() && kHarmless[static_cast<unsigned char>(text[at])]) ++at;
  return at;
}

void append_text(std::string& out, const std::string& raw) {
  if (harmless_until(raw, 0) == raw.size()) {
    out += raw;
    return;
  }
  constexpr std::string_view kEscaped = "\\`*[]|~$";
  const std::string text = visible_line(raw);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = harmless_until(text, at);
    out.append(text, at, end - at);
    at = end;
    if (at == text.size()) break;
    const char c = text[at];
    if (c == '<' || c == '>' || c == '&') {
      append_entity(out, c);
      continue;
    }
    const bool inside_word = at > 0 && word_char(text, at - 1) && word_char(text, at + 1);
    if (kEscaped.find(c) != std::string_view::npos || (c == '_' && !inside_word)) out += '\\';
    out += c;
  }
}

void append_span(std::string& out, const Span& span, bool in_table) {
  switch (span.kind) {
    case Span::Kind::kStrong:
      out += "**";
      append_text(out, span.text);
      out += "**";
      return;
    case Span::Kind::kCode:
      out += markdown_code(span.text, in_table);
      return;
    case Span::Kind::kLink:
      out += '[';
      append_text(out, span.text);
      out += "](" + span.target + ")";
      return;
    case Span::Kind::kText:
      append_text(out, span.text);
      return;
  }
}

void append_line(std::string& out, const Line& line, bool in_table) {
  for (const Span& span : line) append_span(out, span, in_table);
}

std::string markdown_line(const Line& line) {
  std::string out;
  append_line(out, line, false);
  return out;
}

std::string markdown_table(const Block& block) {
  std::string out;
  for (std::size_t row = 0; row < block.rows.size(); ++row) {
    out += '|';
    for (const Line& cell : block.rows[row]) {
      out += ' ';
      append_line(out, cell, true);
      out += " |";
    }
    out += '\n';
    if (row > 0) continue;
    out += "|";
    for (std::size_t i = 0; i < block.rows[0].size(); ++i) out += "---|";
    out += "\n";
  }
  return out;
}

std::string markdown_block(const Block& block) {
  switch (block.kind) {
    case Block::Kind::kComment:
      return "<!-- " + visible_line(block.text) + " -->\n";
    case Block::Kind::kHeading:
      return std::string(static_cast<std::size_t>(block.level), '#') + " " +
             markdown_line(block.line) + "\n";
    case Block::Kind::kList: {
      std::string out;
      for (const std::vector<Line>& item : block.rows) {
        out += "- " + escape_line_start(markdown_line(item[0])) + "\n";
      }
      return out;
    }
    case Block::Kind::kTable:
      return markdown_table(block);
    case Block::Kind::kCode: {
      const std::string text = visible(block.text);
      const std::string fence = longest_ticks(text, 3);
      const bool ends = text.empty() || text.back() == '\n';
      return fence + block.language + "\n" + text + (ends ? "" : "\n") + fence + "\n";
    }
    case Block::Kind::kProse:
      return markdown_prose(block.text);
    case Block::Kind::kParagraph:
      break;
  }
  return escape_line_start(markdown_line(block.line)) + "\n";
}

}  // namespace

std::string markdown_text(const std::string& raw) {
  std::string out;
  append_text(out, raw);
  return out;
}

std::string markdown_code(const std::string& raw, bool in_table) {
  std::string text = visible_line(raw);
  if (text.empty()) return "";
  if (in_table) {  // the table is cut at bars before code spans are seen
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
      text.insert(at, "\\");
    }
  }
  const std::string ticks = longest_ticks(text, 1);
  const bool pad = text.front() == '`' || text.back() == '`';
  return ticks + (pad ? " " : "") + text + (pad ? " " : "") + ticks;
}

std::string to_markdown(const Document& document) {
  std::string out;
  for (const Block& block : document.blocks()) {
    if (!out.empty()) out += "\n";
    out += markdown_block(block);
  }
  return out;
}

}  // namespace assay
