// Identifies one of the two sides, and holds one thing for each.
#ifndef ONNXCMP_RECORD_BASE_PER_SIDE_H_
#define ONNXCMP_RECORD_BASE_PER_SIDE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace onnxcmp {

enum class SideId : uint8_t { kLeft, kRight };

inline constexpr std::array<SideId, 2> kBothSides = {SideId::kLeft, SideId::kRight};

inline constexpr SideId Other(SideId side) {
  return side == SideId::kLeft ? SideId::kRight : SideId::kLeft;
}
inline constexpr absl::string_view SideName(SideId side) {  // "left", "right"
  return side == SideId::kLeft ? "left" : "right";
}

template <typename T>
struct PerSide {
  T left;
  T right;

  constexpr T& operator[](SideId side) { return side == SideId::kLeft ? left : right; }
  constexpr const T& operator[](SideId side) const { return side == SideId::kLeft ? left : right; }
};

// The same for any struct with a `left` and a `right`.
template <typename Both>
auto& OfSide(Both& both, SideId side) {
  return side == SideId::kLeft ? both.left : both.right;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_BASE_PER_SIDE_H_
