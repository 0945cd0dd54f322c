// Constants and results that one side has in fewer digits: float16, quantized. In a proof with
// exact numbers they are what they were rounded from, if each is the nearest number of its type.
#ifndef ONNXCMP_PROVE_CONVERSIONS_H_
#define ONNXCMP_PROVE_CONVERSIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_value.h"
#include "prove/foldable_layer.h"
#include "prove/rounded_constants.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// The side whose numbers have fewer digits, by its constants and its operators on quantized
// tensors; nothing if neither has.
std::optional<SideId> ConvertedSide(const PerSide<const Graph*>& graphs);

class Conversions {
 public:
  // `partners`: constants of the exact side by names of the converted one.
  Conversions(const PrimeField& field, SideId converted, const Graph& exact_graph,
              std::map<std::string, std::string> partners);

  SideId converted() const { return converted_; }
  // A run of this side begins. The exact side runs first.
  void Begin(SideId side);
  bool in_converted() const { return in_converted_; }

  // A value of a side's main graph that does not depend on inputs. On the exact side constants of
  // the other may be made from it; on the converted side it may become what it was made from.
  void See(const std::string& name, FieldValue* value);

  // On the converted side: the numbers that constant codes were rounded from. `codes`: one for each
  // element. Nothing if no constant of the exact side has been rounded to them.
  std::optional<Residues> Dequantized(const std::string& name, const FieldValue& value,
                                      absl::Span<const Code> codes, DType scale);
  // The same divided by a scale that is one of the converted side's constants, of which there is
  // one, or one for each place on an axis: codes less their zero points, which were no whole
  // numbers yet.
  std::optional<Residues> Scaled(const std::string& name, const FieldValue& value, int axis,
                                 absl::Span<const double> zeros);
  // The same of a table, with the zero point, which is one of the side's constants, too.
  std::optional<Residues> Codes(const std::string& name, const FieldValue& value);

  // On the exact side: `limited` is x cut to a range, as by Relu.
  void KnowLimits(const Residues& x, double low, double high, const Residues& limited);
  // On the converted side: x, which is rounded to codes, as the exact side has cut it, if these end
  // within that: then the cut may be left out.
  Residues TakeRounded(Residues x, DType dtype, const CodeRange& range, const std::string& node);
  // Codes by their scale and zero point, and these for codes that are known; operators that choose
  // the greatest code choose the greatest number.
  void KnowCodes(const Residues& codes, Residue scale, Residue zero);
  std::optional<std::pair<Residue, Residue>> ScaleOf(const Residues& codes) const;

  ProofConversions Found() const;

 private:
  struct Exact {
    std::string name;
    Shape shape;
    FieldValue value;
    ByChannel folded;  // the numbers of a folded layer; of none: those of the value
  };
  struct Limits {
    double low, high;
    Residues limited;
  };
  // The rounding of an element, where a number of the exact side is rounded to it.
  using Rounds = std::function<Rounding(size_t element, double number, double slack)>;

  // A constant, and the ways to read it, of which one has to hold for all of its elements.
  struct Rounded {
    const std::string& name;
    Shape shape;
    DType dtype;
    int digits;  // only numbers with more count
    std::vector<Rounds> ways;
  };
  struct Match {
    Residues exact;
    size_t way = 0;
  };

  std::optional<Match> Find(const Rounded& constant);
  // The same, or parts along an axis, each by itself.
  std::optional<Match> FindParts(const Rounded& constant);
  std::optional<Match> PartsAlong(const Rounded& constant, size_t axis);
  std::optional<Match> Try(const Exact& exact, const Rounded& constant);
  void AddFoldedLayers();
  std::vector<const Exact*> InOrder(const std::string& name) const;

  const PrimeField& field_;
  const SideId converted_;
  const Graph& exact_graph_;
  const std::map<std::string, std::string> partners_;
  bool in_converted_ = false;
  bool has_layers_ = false;
  FieldValues known_;         // of the exact side
  std::vector<Exact> exact_;  // constants, and layers after folding
  FieldValues scales_;        // of the converted side
  std::set<double> zeros_;    // of the converted side
  std::map<uint64_t, Limits> limits_;
  std::map<uint64_t, std::pair<Residue, Residue>> codes_;
  std::map<std::pair<std::string, DType>, ProofConversion> found_;
  std::map<DType, std::vector<std::string>> rounded_results_;  // the nodes' labels
};

// Adds to the report of a proof, which does not prove the outputs, what one with exact numbers has
// found: rows that this proves rest on the conversions.
void TakeExactProof(const ProofReport& exact, ProofReport* report);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_CONVERSIONS_H_
