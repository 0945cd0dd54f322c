// Operators over the field that say which of many numbers is the greatest, or where it lies. Where
// bounds are taken of directions, they are known to go with what rises with its argument.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/base/status_macros.h"
#include "prove/directions.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostMembers = int64_t{1} << 22;  // that are known of all numbers of a value

// The places of elements along axes, for each element of the result.
std::vector<std::vector<int64_t>> PlacesAlong(const Residues& x, absl::Span<const int> axes) {
  Residues places = Residues::Filled(x.shape, 0);
  std::iota(places.values.begin(), places.values.end(), Residue{0});
  std::vector<std::vector<int64_t>> lanes;
  ReduceAlong(places, axes, [&](std::vector<Residue>* lane) {
    lanes.emplace_back(lane->begin(), lane->end());
    return Residue{0};
  });
  return lanes;
}

Residues Turned(const PrimeField& field, Residues x, bool turned) {
  return turned ? Mapped(std::move(x), [&](Residue v) { return field.Neg(v); }) : x;
}

// Numbers of which each element of the first input is the greatest: as many for each. `opposite`:
// the least of their negatives.
absl::StatusOr<std::vector<Residues>> MembersOf(const FieldNode& node, Residues x, bool opposite) {
  std::vector<Residues> members;
  const ValueOrigin* const origin = node.by_direction() ? node.origin(0) : nullptr;
  if (origin != nullptr && origin->opposite == opposite) {
    for (const Tensor& term : origin->terms) {
      OC_ASSIGN_OR_RETURN(members.emplace_back(), FromTensor(term));
    }
    if (origin->members.defined()) {
      OC_ASSIGN_OR_RETURN(members.emplace_back(), FromTensor(origin->members));
    }
  }
  if (members.empty()) members.push_back(Turned(node.field(), std::move(x), opposite));
  return members;
}

struct Greatest {
  Residues numbers;
  Tensor members;  // of each, one row; not defined(): too many
};

absl::StatusOr<Greatest> GreatestOf(const FieldNode& node, Residues x, bool least,
                                    const Shape& shape,
                                    absl::Span<const std::vector<int64_t>> lanes) {
  const PrimeField& field = node.field();
  const int64_t size = x.size();
  OC_ASSIGN_OR_RETURN(const std::vector<Residues> tables, MembersOf(node, std::move(x), least));
  Greatest made = {Residues::Filled(shape, 0), {}};
  if (made.numbers.values.size() != lanes.size()) return NoMeaning("another shape");
  size_t width = 0;
  std::vector<Residue> members;
  std::vector<Residue> lane;
  for (size_t i = 0; i < lanes.size(); ++i) {
    lane.clear();
    for (const Residues& table : tables) {
      const int64_t each = size == 0 ? 0 : table.size() / size;
      for (const int64_t place : lanes[i]) {
        const auto first = table.values.begin() + place * each;
        lane.insert(lane.end(), first, first + each);
      }
    }
    if (i == 0) width = lane.size();
    // Lanes at an edge have fewer.
    width = std::max(width, lane.size());
    members.insert(members.end(), lane.begin(), lane.end());
    if (!lane.empty()) members.resize((i + 1) * width, lane.front());
    const Residue greatest = field.MaxOf(&lane);
    made.numbers.values[i] = least ? field.Neg(greatest) : greatest;
  }
  if (node.by_direction() && width > 0 && members.size() == lanes.size() * width &&
      static_cast<int64_t>(members.size()) <= kMostMembers) {
    const Residues rows = {{static_cast<int64_t>(lanes.size()), static_cast<int64_t>(width)},
                           {members.begin(), members.end()}};
    OC_ASSIGN_OR_RETURN(made.members, ToTensor(rows));
  }
  return made;
}

// Along an axis, numbers that have the order of the first input's.
absl::StatusOr<Residues> InOrderOf(const FieldNode& node, int axis) {
  if (node.by_direction() && !node.value(0).fixed) {
    OC_ASSIGN_OR_RETURN(Residues x, FromTensor(OrderOf(node, axis)));
    if (x.shape == node.value(0).number.tensor().shape()) return x;
  }
  return node.In(0);
}

// The place of the greatest number of each lane: whatever is added to all of its numbers.
absl::StatusOr<Residues> PlacesOfGreatest(FieldNode& node, int axis, bool least, bool last) {
  const PrimeField& field = node.field();
  const uint64_t function = node.Jumping(FunctionNumber(last ? "last greatest" : "greatest"));
  OC_ASSIGN_OR_RETURN(Residues x, InOrderOf(node, axis));
  x = Turned(field, std::move(x), least);
  return ReduceAlong(x, {axis}, [&](std::vector<Residue>* lane) {
    uint64_t key = function;
    const auto some = absl::c_find_if(*lane, IsNumber);
    const Residue first = some == lane->end() ? 0 : *some;
    for (const Residue number : *lane) {
      if (number == kNoNumber) return kNoNumber;
      const Residue apart = IsNumber(number) ? field.Sub(number, first) : number;
      key = MixNumbers(key, static_cast<uint64_t>(apart));
    }
    return field.Random(key, 1);
  });
}

absl::Status ArgMaxOperator(FieldNode& node) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const std::vector<int> axes, WholeAxes({node.Int("axis", 0)}, x.rank()));
  OC_ASSIGN_OR_RETURN(Residues out,
                      PlacesOfGreatest(node, axes.front(), node.node().op_type == "ArgMin",
                                       node.Int("select_last_index", 0) != 0));
  if (node.Int("keepdims", 1) == 0) out.shape.erase(out.shape.begin() + axes.front());
  return node.Set(0, std::move(out));
}

// The greatest number and its place, where these are all.
absl::Status TopKOperator(FieldNode& node) {
  if (node.since() < 10) return NoMeaning("an old form of the operator");
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> count, node.Integers(1));
  if (count.size() != 1 || count.front() != 1) return NoMeaning("several numbers in their order");
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const std::vector<int> axes, WholeAxes({node.Int("axis", -1)}, x.rank()));
  const bool least = node.Int("largest", 1) == 0;
  node.Int("sorted", 1);  // one number is in order
  OC_ASSIGN_OR_RETURN(Residues places, PlacesOfGreatest(node, axes.front(), least, false));
  const Shape shape = places.shape;
  OC_RETURN_IF_ERROR(node.Set(1, std::move(places)));
  return SetGreatest(node, x, least, shape, PlacesAlong(x, axes));
}

// 1 where an id is the place, else 0: two numbers in general.
absl::Status OneHotOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues values, node.In(2));
  if (!IsInteger(node.InType(0)) || node.value(0).fixed || !node.value(1).fixed ||
      !node.value(2).fixed || values.size() != 2 || !node.number(0).is_tensor()) {
    return NoMeaning("ids or numbers of another kind");
  }
  const Shape& shape = node.number(0).tensor().shape();
  const int64_t axis = node.Int("axis", -1);
  OC_ASSIGN_OR_RETURN(const Residues ids, node.In(0));
  if ((axis != -1 && axis != ids.rank()) || shape.empty()) return NoMeaning("another axis");
  node.MarkRandom();
  // Ids below 0 are none up to version 10, later they count from the end.
  const int64_t depth = shape.back();
  const bool counts_back = node.since() >= 11;
  const uint64_t function = MixNumbers(FunctionNumber(counts_back ? "one hot" : "one hot from 0"),
                                       static_cast<uint64_t>(depth));
  const Residue off = values.values[0];
  const Residue apart = field.Sub(values.values[1], off);
  Residues out = Residues::Filled(shape, 0);
  if (out.size() != ids.size() * depth) return NoMeaning("another shape");
  for (int64_t i = 0; i < out.size(); ++i) {
    const Residue id = ids.values[static_cast<size_t>(i / depth)];
    const Residue is_it = field.Random(function, id, i % depth);
    out.values[static_cast<size_t>(i)] = field.Add(off, field.Mul(apart, is_it));
  }
  if (off == 0 && apart == 1 && counts_back) {
    ValueOrigin origin;
    OC_ASSIGN_OR_RETURN(origin.one_hot_of, ToTensor(ids));
    node.SetOrigin(0, std::move(origin));
  }
  return node.Set(0, std::move(out));
}

absl::Status ReduceMaxOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const bool least = node.node().op_type == "ReduceMin";
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  bool reduces = true;
  OC_ASSIGN_OR_RETURN(const std::vector<int> axes, FieldAxesOf(node, x.rank(), &reduces));
  if (!reduces) return NoMeaning("no axes");
  node.MarkRandom();
  const std::optional<CommonScale> common = CommonScaleOf(node);
  if (!least && common.has_value() && common->scale.size() == 1) {
    Residues greatest = ReduceAlong(common->directions[0], axes,
                                    [&](std::vector<Residue>* lane) { return field.MaxOf(lane); });
    if (node.Int("keepdims", 1) == 0) DropAxes(axes, &greatest);
    return node.Set(0, FieldScaled(field, std::move(greatest), common->scale.values[0]));
  }
  Residues shape = ReduceAlong(x, axes, [](std::vector<Residue>*) { return Residue{0}; });
  if (node.Int("keepdims", 1) == 0) DropAxes(axes, &shape);
  return SetGreatest(node, x, least, shape.shape, PlacesAlong(x, axes));
}

constexpr FieldOperatorRow kOrderOperators[] = {
    {kOnnxDomain, "ReduceMax", ReduceMaxOperator}, {kOnnxDomain, "ReduceMin", ReduceMaxOperator},
    {kOnnxDomain, "ArgMax", ArgMaxOperator},       {kOnnxDomain, "ArgMin", ArgMaxOperator},
    {kOnnxDomain, "TopK", TopKOperator},           {kOnnxDomain, "OneHot", OneHotOperator},
};

}  // namespace

Tensor OrderOf(const FieldNode& node, int axis) {
  const FieldValue& value = node.value(0);
  const ValueOrigin* const origin = node.origin(0);
  if (origin != nullptr && origin->rises_with.defined() &&
      (origin->rises_along == kAllAxes || origin->rises_along == axis)) {
    return origin->rises_with;
  }
  if (const std::optional<ExpForm> form = node.Form(0);
      form.has_value() &&
      absl::c_all_of(form->factor.values, [](Residue factor) { return factor == 1; })) {
    return value.exp_exponent;
  }
  return origin != nullptr && origin->unscaled.defined() ? origin->unscaled : value.residues;
}

void KeepOrder(FieldNode& node, int axis) {
  if (!node.by_direction() || node.value(0).fixed) return;
  ValueOrigin origin = node.OriginOf(0) == nullptr ? ValueOrigin() : *node.OriginOf(0);
  origin.rises_with = OrderOf(node, axis);
  origin.rises_along = axis;
  node.SetOrigin(0, std::move(origin));
}

absl::Status SetGreatest(FieldNode& node, const Residues& x, bool least, const Shape& shape,
                         absl::Span<const std::vector<int64_t>> lanes) {
  const PrimeField& field = node.field();
  const ValueOrigin* const origin = node.by_direction() ? node.origin(0) : nullptr;
  if (const std::optional<ExpForm> form = node.by_direction() ? node.Form(0) : std::nullopt;
      form.has_value() && form->exponent.shape == x.shape &&
      absl::c_all_of(form->factor.values, [](Residue factor) { return factor == 1; })) {
    OC_ASSIGN_OR_RETURN(Greatest made, GreatestOf(node, form->exponent, least, shape, lanes));
    return node.SetForm(0, {Residues::Of(1), std::move(made.numbers)});
  }
  if (origin != nullptr && origin->unbounded.defined() && origin->unbounded.shape() == x.shape) {
    OC_ASSIGN_OR_RETURN(Residues unbounded, FromTensor(origin->unbounded));
    OC_ASSIGN_OR_RETURN(Greatest made, GreatestOf(node, std::move(unbounded), least, shape, lanes));
    ValueOrigin bounded = {.low = origin->low, .high = origin->high};
    OC_ASSIGN_OR_RETURN(bounded.unbounded, ToTensor(made.numbers));
    node.SetOrigin(0, std::move(bounded));
    return node.Set(0, Mapped(std::move(made.numbers), [&](Residue v) {
                      return FieldBetween(field, v, origin->low.residue, origin->high.residue);
                    }));
  }
  OC_ASSIGN_OR_RETURN(Greatest made, GreatestOf(node, x, least, shape, lanes));
  if (made.members.defined()) {
    node.SetOrigin(0, {.opposite = least, .members = std::move(made.members)});
  }
  return node.Set(0, std::move(made.numbers));
}

absl::Span<const FieldOperatorRow> OrderFieldOperators() { return kOrderOperators; }

}  // namespace onnxcmp
