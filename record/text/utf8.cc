#include "record/text/utf8.h"

#include <cstddef>

namespace onnxcmp {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

bool IsCharacter(uint32_t code) { return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

// The first character of a text and its number of bytes; 0 bytes if it is invalid.
struct Character {
  uint32_t code = kReplacement;
  size_t bytes = 0;
};
Character FirstCharacter(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const size_t bytes = lead >= 0xF0 && lead < 0xF8 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (bytes == 0 || lead >= 0xF8 || text.size() < bytes) {
    return {};
  }
  uint32_t code = lead & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) {
      return {};
    }
    code = code << 6 | (byte(i) & 0x3F);
  }
  // Only the shortest encoding of a character is valid.
  const uint32_t least = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  return code < least || !IsCharacter(code) ? Character{} : Character{code, bytes};
}

}  // namespace

bool AppendUtf8(uint32_t code, std::string* text) {
  if (!IsCharacter(code)) {
    return false;
  }
  const auto append = [&](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    append(code);
  } else if (code < 0x800) {
    append(0xC0 | code >> 6);
    append(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    append(0xE0 | code >> 12);
    append(0x80 | (code >> 6 & 0x3F));
    append(0x80 | (code & 0x3F));
  } else {
    append(0xF0 | code >> 18);
    append(0x80 | (code >> 12 & 0x3F));
    append(0x80 | (code >> 6 & 0x3F));
    append(0x80 | (code & 0x3F));
  }
  return true;
}

std::vector<uint32_t> DecodeUtf8(absl::string_view text) {
  std::vector<uint32_t> codes;
  while (!text.empty()) {
    const Character first = FirstCharacter(text);
    codes.push_back(first.code);
    text.remove_prefix(first.bytes == 0 ? 1 : first.bytes);
  }
  return codes;
}

bool IsValidUtf8(absl::string_view text) {
  while (!text.empty()) {
    const size_t bytes = FirstCharacter(text).bytes;
    if (bytes == 0) {
      return false;
    }
    text.remove_prefix(bytes);
  }
  return true;
}

std::string RepairUtf8(absl::string_view text) {
  std::string repaired;
  for (const uint32_t code : DecodeUtf8(text)) {
    AppendUtf8(code, &repaired);
  }
  return repaired;
}

}  // namespace onnxcmp
