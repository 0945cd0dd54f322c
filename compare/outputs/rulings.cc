#include "compare/outputs/rulings.h"

#include <utility>

#include "absl/algorithm/container.h"

namespace onnxcmp {
namespace {

constexpr GroundRow kGrounds[] = {
    {Ground::kOrder, false, "elements or rows in another order"},
    {Ground::kUnrelated, false, "values that do not vary together"},
    {Ground::kSignalToNoise, false, "too little signal to noise"},
    {Ground::kLostPart, false, "a part of the output is lost"},
    {Ground::kCause, false, "a cause that rounding does not explain"},
    {Ground::kTies, true, "a choice at equal numbers"},
    {Ground::kHonestNoise, true, "honest noise of a conversion"},
    {Ground::kNearer, true, "the right rounds no worse than the left"},
};

}  // namespace

bool OutputPair::agrees() const {
  return rulings.empty() ? difference.agree() : RowOf(rulings.back().ground).agrees;
}

const GroundRow& RowOf(Ground ground) {
  return *absl::c_find_if(kGrounds, [&](const GroundRow& row) { return row.ground == ground; });
}

void Rule(Ground ground, std::string why, OutputPair* pair) {
  const bool agrees = RowOf(ground).agrees;
  const bool decides = pair->agrees() != agrees;
  if (ground == Ground::kOrder) {
    pair->difference.reason = why;
  } else if (!agrees) {
    pair->difference.fault = why;
  }
  pair->rulings.push_back({ground, std::move(why), decides});
}

bool IsDecidedBy(Ground ground, const OutputPair& pair) {
  return !pair.rulings.empty() && pair.rulings.back().ground == ground;
}

}  // namespace onnxcmp
