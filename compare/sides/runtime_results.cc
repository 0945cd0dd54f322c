#include "compare/sides/runtime_results.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/runtimes/model_files.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

std::string QuotedNames(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min<size_t>(names.size(), work_bounds::kNamed); ++i) {
    shown.push_back(absl::StrCat("`", OneLine(names[i]), "`"));
  }
  if (names.size() > work_bounds::kNamed) shown.push_back("...");
  return absl::StrJoin(shown, ", ");
}

// True if two values of one output are farther apart than by `slack`, against the size of the
// elements, and by their last bits.
bool AreOthers(const Value& a, const Value& b, double slack) {
  if (!IsMeasurable(a) || !IsMeasurable(b)) return ContentOf(a) != ContentOf(b);
  if (a.tensor().shape() != b.tensor().shape() || a.tensor().dtype() != b.tensor().dtype()) {
    return true;
  }
  const double epsilon = EpsilonOf(a.tensor().dtype());
  if (epsilon == 0) return ContentOf(a) != ContentOf(b);
  return Distance(Measure(a.tensor()), Measure(b.tensor())) > std::max(slack, 8 * epsilon);
}

}  // namespace

RuntimeResults::~RuntimeResults() {
  runtime_.Remove(plain_);
  for (const RuntimeValues& slice : slices_) runtime_.Remove(slice);
}

absl::StatusOr<RuntimeValues> RuntimeResults::RunOnce(const std::string& model,
                                                      const std::vector<std::string>& marks,
                                                      const Feeds& feeds) {
  OC_ASSIGN_OR_RETURN(const RuntimeSession session, runtime_.Load(model, marks));
  absl::StatusOr<RuntimeValues> values = runtime_.Run(session, feeds);
  runtime_.Unload(session);
  return values;
}

std::vector<std::string> RuntimeResults::ResultsToMark() const {
  absl::flat_hash_map<absl::string_view, bool> outputs;
  for (const ValueInfo& output : model_.graph.outputs) outputs[output.name] = true;
  std::vector<std::string> marks;
  for (const Node& node : model_.graph.nodes) {
    if (node.op_type == "Constant" && node.domain.empty()) continue;
    for (const std::string& output : node.outputs) {
      if (!output.empty() && !outputs.contains(output)) marks.push_back(output);
    }
  }
  return marks;
}

absl::Status RuntimeResults::Run(const Feeds& feeds) {
  std::string written;
  if (!IsBinaryFile(model_) || !NamesAreOfFile(model_)) {
    OC_ASSIGN_OR_RETURN(written, runtime_.NewFile(".onnx"));
    OC_RETURN_IF_ERROR(WriteModelFile(model_, written));
  }
  file_ = written.empty() ? model_.path : written;
  OC_ASSIGN_OR_RETURN(plain_, RunOnce(file_, {}, feeds));
  OC_ASSIGN_OR_RETURN(const RuntimeInfo info, runtime_.Start());
  for (const ValueInfo& output : model_.graph.outputs) {
    if (plain_.contains(output.name)) continue;
    return absl::UnimplementedError(
        absl::StrCat(info.Text(), " gave no output `", OneLine(output.name), "`"));
  }
  if (!info.knows_results) return absl::OkStatus();
  RunMarked(ResultsToMark(), feeds);
  if (!missing_.empty()) {
    notes_.push_back(absl::StrCat(
        missing_.size(), " results were not had of ", info.Text(),
        " and computed by onnxcmp of its values: ", QuotedNames(missing_),
        first_failure_.ok() ? "" : absl::StrCat("; ", OneLine(first_failure_.message()))));
  }
  return FindChanged();
}

void RuntimeResults::RunMarked(const std::vector<std::string>& marks, const Feeds& feeds) {
  if (failures_ >= work_bounds::kTrials || deaths_ >= work_bounds::kFewTrials) {
    missing_.insert(missing_.end(), marks.begin(), marks.end());
    return;
  }
  absl::StatusOr<RuntimeValues> values = RunOnce(file_, marks, feeds);
  if (values.ok()) {
    for (const std::string& name : values->names()) slice_of_.try_emplace(name, slices_.size());
    for (const std::string& mark : marks) {
      if (!values->contains(mark)) missing_.push_back(mark);
    }
    slices_.push_back(*std::move(values));
    return;
  }
  if (first_failure_.ok()) first_failure_ = values.status();
  ++failures_;
  if (RuntimeDied(values.status())) ++deaths_;
  if (absl::IsDeadlineExceeded(values.status())) deaths_ = work_bounds::kFewTrials;
  if (marks.size() <= 1) {
    missing_.insert(missing_.end(), marks.begin(), marks.end());
    return;
  }
  const auto middle = marks.begin() + static_cast<std::ptrdiff_t>(marks.size() / 2);
  RunMarked({marks.begin(), middle}, feeds);
  RunMarked({middle, marks.end()}, feeds);
}

absl::Status RuntimeResults::FindChanged() {
  for (const ValueInfo& output : model_.graph.outputs) {
    if (!HasResult(output.name)) continue;
    OC_ASSIGN_OR_RETURN(const Value plain, Output(output.name));
    OC_ASSIGN_OR_RETURN(const Value marked, Result(output.name));
    if (!plain.empty() && AreOthers(plain, marked, thresholds::kFarDistance))
      changed_.push_back(output.name);
  }
  if (!changed_.empty()) {
    notes_.push_back(absl::StrCat(
        "differs only when fused: ", QuotedNames(changed_),
        changed_.size() == 1 ? " is another" : " are others",
        " when all results are outputs, which keeps the runtime from fusing (--fused compares with "
        "the model as it has optimized it)"));
  }
  return absl::OkStatus();
}

bool RuntimeResults::HasOutputsOf(const RuntimeResults& other, bool exactly) const {
  return absl::c_all_of(other.model_.graph.outputs, [&](const ValueInfo& output) {
    const absl::StatusOr<Value> own = Output(output.name);
    const absl::StatusOr<Value> others = other.Output(output.name);
    return own.ok() && others.ok() && own->empty() == others->empty() &&
           (own->empty() || !AreOthers(*own, *others, exactly ? 0 : thresholds::kFarDistance));
  });
}

absl::StatusOr<Value> RuntimeResults::Output(const std::string& name) const {
  return plain_.contains(name) ? runtime_.Read(plain_, name) : Value();
}

absl::StatusOr<Value> RuntimeResults::Result(const std::string& name) const {
  const auto slice = slice_of_.find(name);
  return slice == slice_of_.end() ? Value() : runtime_.Read(slices_[slice->second], name);
}

}  // namespace onnxcmp
