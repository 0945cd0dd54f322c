#include "prove/truth_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"
#include "evaluator/base/status_macros.h"
#include "prove/field/residues.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostAtoms = 6;  // a table has as many bits as a number
using Table = std::array<Residue, size_t{1} << kMostAtoms>;

// Truth values, none of which is made of others, and the table of a function of them: bit i is its
// value where bit j of i is that of atom j.
struct Truth {
  std::vector<Residues> atoms;
  uint64_t table = 0;
};

bool BitOf(uint64_t bits, size_t i) { return ((bits >> i) & 1) != 0; }

absl::StatusOr<Truth> TruthOf(const FieldNode& node, int input) {
  Truth truth;
  const ValueOrigin* const origin = node.origin(input);
  if (origin != nullptr && !origin->atoms.empty()) {
    truth.table = origin->truth;
    for (const Tensor& atom : origin->atoms) {
      OC_ASSIGN_OR_RETURN(truth.atoms.emplace_back(), FromTensor(atom));
    }
  } else {
    truth.table = 2;
    OC_ASSIGN_OR_RETURN(truth.atoms.emplace_back(), node.In(input));
  }
  for (Residues& atom : truth.atoms) {
    OC_ASSIGN_OR_RETURN(atom, BroadcastTo(atom, node.number(0).tensor().shape()));
  }
  return truth;
}

// A function of two functions; nothing if it is one of too many atoms.
std::optional<Truth> CombinedTruth(Truth a, Truth b, absl::FunctionRef<bool(bool, bool)> function) {
  // Where the atoms of the second are among all.
  std::vector<size_t> places;
  const size_t own = a.atoms.size();
  for (Residues& atom : b.atoms) {
    const auto found = absl::c_find_if(
        a.atoms, [&](const Residues& known) { return known.values == atom.values; });
    places.push_back(static_cast<size_t>(found - a.atoms.begin()));
    if (found == a.atoms.end()) a.atoms.push_back(std::move(atom));
  }
  if (a.atoms.size() > kMostAtoms) return std::nullopt;
  Truth made;
  for (size_t at = 0; at < size_t{1} << a.atoms.size(); ++at) {
    size_t second = 0;
    for (size_t i = 0; i < places.size(); ++i) second |= size_t{BitOf(at, places[i])} << i;
    const bool first = BitOf(a.table, at & ((size_t{1} << own) - 1));
    made.table |= uint64_t{function(first, BitOf(b.table, second))} << at;
  }
  made.atoms = std::move(a.atoms);
  return made;
}

// The function at one place: the polynomial of its atoms that has none of them twice. Those that
// are alike there, or opposites, are one.
Residue ValueAt(const PrimeField& field, const Truth& truth, size_t place) {
  const size_t count = truth.atoms.size();
  Table table;
  for (size_t i = 0; i < size_t{1} << count; ++i) table[i] = BitOf(truth.table, i) ? 1 : 0;
  for (size_t j = count; j-- > 0;) {
    const size_t size = size_t{1} << j;
    const Residue value = truth.atoms[j].values[place];
    if (!IsNumber(value)) return kNoNumber;
    const Residue opposite = field.Sub(1, value);
    size_t like = 0;
    const auto other = [&] { return truth.atoms[like].values[place]; };
    while (like < j && other() != value && other() != opposite) ++like;
    for (size_t i = 0; i < size; ++i) {
      const Residue no = table[i];
      const Residue yes = table[i + size];
      if (like < j) {
        table[i] = BitOf(i, like) == (other() == value) ? yes : no;
      } else {
        table[i] = yes == no ? no : field.Add(no, field.Mul(value, field.Sub(yes, no)));
      }
    }
  }
  return table[0];
}

// The least sets of atoms that make a function true which no atom makes false.
std::vector<size_t> LeastSets(const Truth& truth) {
  std::vector<size_t> sets;
  for (size_t set = 0; set < size_t{1} << truth.atoms.size(); ++set) {
    const bool has_less = absl::c_any_of(sets, [&](size_t less) { return (less & set) == less; });
    if (BitOf(truth.table, set) && !has_less) sets.push_back(set);
  }
  return sets;
}

// The greatest of the least numbers of the sets.
Residue GreatestOfLeast(const PrimeField& field, const Truth& truth, absl::Span<const size_t> sets,
                        size_t place) {
  std::vector<Residue> numbers;
  for (const size_t set : sets) {
    std::vector<Residue> opposites;
    for (size_t i = 0; i < truth.atoms.size(); ++i) {
      if (BitOf(set, i)) opposites.push_back(field.Neg(truth.atoms[i].values[place]));
    }
    numbers.push_back(field.Neg(field.MaxOf(&opposites)));
  }
  return field.MaxOf(&numbers);
}

ValueOrigin WithTruth(ValueOrigin origin, uint64_t table, std::vector<Tensor> atoms) {
  origin.atoms = std::move(atoms);
  origin.truth = table;
  return origin;
}

absl::StatusOr<std::vector<Tensor>> AtomsOf(const Truth& truth) {
  std::vector<Tensor> atoms;
  for (const Residues& atom : truth.atoms) {
    OC_ASSIGN_OR_RETURN(atoms.emplace_back(), ToTensor(atom));
  }
  return atoms;
}

}  // namespace

absl::StatusOr<bool> SetTruth(FieldNode& node, absl::FunctionRef<bool(bool, bool)> function) {
  OC_ASSIGN_OR_RETURN(Truth first, TruthOf(node, 0));
  OC_ASSIGN_OR_RETURN(Truth second, TruthOf(node, 1));
  const std::optional<Truth> truth = CombinedTruth(std::move(first), std::move(second), function);
  if (!truth.has_value()) return false;
  node.MarkRandom();
  const std::shared_ptr<const ValueOrigin> known = node.OriginOf(0);
  OC_ASSIGN_OR_RETURN(std::vector<Tensor> atoms, AtomsOf(*truth));
  Residues out = Residues::Filled(node.number(0).tensor().shape(), 0);
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] = ValueAt(node.field(), *truth, i);
  }
  node.SetOrigin(
      0, WithTruth(known == nullptr ? ValueOrigin() : *known, truth->table, std::move(atoms)));
  OC_RETURN_IF_ERROR(node.Set(0, std::move(out)));
  return true;
}

absl::Status SetGreaterOf(FieldNode& node, bool least) {
  OC_ASSIGN_OR_RETURN(Truth first, TruthOf(node, 0));
  OC_ASSIGN_OR_RETURN(Truth second, TruthOf(node, 1));
  const std::optional<Truth> truth = CombinedTruth(
      std::move(first), std::move(second), [&](bool a, bool b) { return least ? a && b : a || b; });
  if (!truth.has_value()) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(std::vector<Tensor> atoms, AtomsOf(*truth));
  const std::vector<size_t> sets = LeastSets(*truth);
  Residues out = Residues::Filled(node.number(0).tensor().shape(), 0);
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] = GreatestOfLeast(node.field(), *truth, sets, i);
  }
  // Its terms stay where they say the same.
  const std::shared_ptr<const ValueOrigin> known = node.OriginOf(0);
  const bool plain = least ? sets.size() == 1 : absl::c_all_of(sets, std::has_single_bit<size_t>);
  const size_t count = least ? static_cast<size_t>(std::popcount(sets.front())) : sets.size();
  const bool same = known != nullptr && plain && known->terms.size() == count;
  node.SetOrigin(0, WithTruth(same ? *known : ValueOrigin(), truth->table, std::move(atoms)));
  return node.Set(0, std::move(out));
}

ValueOrigin OppositeTruth(const FieldNode& node, int input) {
  ValueOrigin opposite;
  const ValueOrigin* const origin = node.origin(input);
  if (origin == nullptr || origin->atoms.empty()) return opposite;
  opposite.atoms = origin->atoms;
  opposite.truth = ~origin->truth;
  return opposite;
}

}  // namespace onnxcmp
