// Size of letters and colors of relations in drawings.
#ifndef ONNXCMP_REPORTS_LAYOUT_LETTERS_H_
#define ONNXCMP_REPORTS_LAYOUT_LETTERS_H_

#include <array>

namespace onnxcmp {

// Sizes of a letter and of a line of text of 11 px, in a monospaced font.
inline constexpr double kLetterWidth = 6.7;
inline constexpr double kTextLine = 14;

// By Relation: as in the table, and distinguishable without telling red from green.
inline constexpr std::array<const char*, 5> kRelationSigns = {"=", "≈", "≠", "-", "+"};
inline constexpr std::array<const char*, 5> kRelationColors = {"#4f5963", "#0b5a9e", "#a33500",
                                                               "#6a3fa0", "#00655a"};
inline constexpr std::array<const char*, 5> kRelationFills = {"#f0f2f4", "#e9f2fb", "#fdeee6",
                                                              "#f1edf8", "#e3f4f0"};

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_LAYOUT_LETTERS_H_
