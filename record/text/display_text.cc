#include "record/text/display_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "record/text/utf8.h"

namespace onnxcmp {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

template <size_t n>
bool IsIn(uint32_t code, const Range (&ranges)[n]) {
  const Range* range = std::upper_bound(
      std::begin(ranges), std::end(ranges), code,
      [](uint32_t wanted, const Range& candidate) { return wanted < candidate.first; });
  return range != std::begin(ranges) && code <= (range - 1)->last;
}

// Control characters, characters that change the direction of writing, invisible ones and ones that
// resemble a space, and codes that stand for no character, which XML does not allow.
bool IsUnprintable(uint32_t code) {
  static constexpr Range kRanges[] = {
      {0x00, 0x1F},     {0x7F, 0xA0},     {0xAD, 0xAD},     {0x200B, 0x200F},   {0x2028, 0x202E},
      {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE007F},
  };
  return IsIn(code, kRanges);
}

int CharacterWidth(uint32_t code) {
  static constexpr Range kCombining[] = {
      {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
      {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
  };
  // East Asian Width W and F of Unicode's EastAsianWidth.txt, small gaps closed.
  static constexpr Range kWide[] = {
      {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},
      {0xA960, 0xA97C},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
      {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x17000, 0x18CFF}, {0x1B000, 0x1B2FF},
      {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
  };
  return IsIn(code, kCombining) ? 0 : IsIn(code, kWide) ? 2 : 1;
}

std::string Escape(uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (code < 0x100) return absl::StrFormat("\\x%02x", code);
  if (code < 0x10000) return absl::StrFormat("\\u%04x", code);
  return absl::StrFormat("\\U%08x", code);
}

// The characters from the front, or from the back, that fit into `width`.
std::string Fitting(const std::vector<uint32_t>& codes, int width, bool from_back) {
  const int size = static_cast<int>(codes.size());
  int count = 0;
  for (int used = 0; count < size; ++count) {
    used += CharacterWidth(codes[static_cast<size_t>(from_back ? size - 1 - count : count)]);
    if (used > width) break;
  }
  std::string text;
  const int first = from_back ? size - count : 0;
  for (int i = first; i < first + count; ++i) AppendUtf8(codes[static_cast<size_t>(i)], &text);
  return text;
}

}  // namespace

std::string PrintableText(absl::string_view text) {
  std::string printable;
  for (const uint32_t code : DecodeUtf8(text)) {
    if (IsUnprintable(code)) {
      printable += Escape(code);
    } else {
      AppendUtf8(code, &printable);
    }
  }
  return printable;
}

std::string AsciiText(absl::string_view text) {
  std::string ascii;
  for (const uint32_t code : DecodeUtf8(text)) {
    switch (code) {
      case 0xA0:  // kNoBreak
        AppendUtf8(code, &ascii);
        break;
      case 0x2026:  // …
        ascii += "..";
        break;
      case 0x2192:  // →
        ascii += "->";
        break;
      case 0x2190:  // ←
        ascii += "<-";
        break;
      case 0x2191:  // ↑
        ascii += "^";
        break;
      case 0x2193:  // ↓
        ascii += "v";
        break;
      case 0x2514:  // └
        ascii += "\\_";
        break;
      case 0x2500:  // ─
        ascii += "-";
        break;
      case 0xD7:  // ×
        ascii += "x";
        break;
      case 0xB7:  // ·
        ascii += "*";
        break;
      case 0x2248:  // ≈
        ascii += "~";
        break;
      case 0x2260:  // ≠
        ascii += "!";
        break;
      default:
        ascii += code < 0x80 ? std::string(1, static_cast<char>(code)) : Escape(code);
    }
  }
  return ascii;
}

int DisplayWidth(absl::string_view text) {
  int width = 0;
  for (const uint32_t code : DecodeUtf8(text)) width += CharacterWidth(code);
  return width;
}

std::string ShortenStart(absl::string_view text, int width, absl::string_view mark) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const std::vector<uint32_t> codes = DecodeUtf8(text);
  const int room = width - DisplayWidth(mark);
  if (room <= 0) return Fitting(codes, width, true);
  return absl::StrCat(mark, Fitting(codes, room, true));
}

std::string ShortenMiddle(absl::string_view text, int width, absl::string_view mark) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const std::vector<uint32_t> codes = DecodeUtf8(text);
  const int room = width - DisplayWidth(mark);
  if (room <= 1) return Fitting(codes, width, false);
  return absl::StrFormat("%s%s%s", Fitting(codes, room / 2, false), mark,
                         Fitting(codes, room - room / 2, true));
}

std::string ShortenEnd(absl::string_view text, int width, absl::string_view mark) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const std::vector<uint32_t> codes = DecodeUtf8(text);
  const int room = width - DisplayWidth(mark);
  if (room <= 0) return Fitting(codes, width, false);
  return absl::StrFormat("%s%s", Fitting(codes, room, false), mark);
}

std::string PadRight(absl::string_view text, int width) {
  return std::string(text) +
         std::string(static_cast<size_t>(std::max(0, width - DisplayWidth(text))), ' ');
}

std::string PadLeft(absl::string_view text, int width) {
  return std::string(static_cast<size_t>(std::max(0, width - DisplayWidth(text))), ' ') +
         std::string(text);
}

std::vector<std::string> WrapText(absl::string_view text, int width) {
  std::vector<std::string> lines = {""};
  int used = 0;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    const int size = DisplayWidth(word);
    if (!lines.back().empty() && used + 1 + size > width) {
      lines.emplace_back();
      used = 0;
    }
    if (!lines.back().empty()) {
      lines.back() += ' ';
      ++used;
    }
    lines.back().append(word.data(), word.size());
    used += size;
  }
  for (std::string& line : lines) absl::StrReplaceAll({{kNoBreak, " "}}, &line);
  return lines;
}

}  // namespace onnxcmp
