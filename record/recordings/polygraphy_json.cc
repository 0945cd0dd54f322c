// Results of inference as Polygraphy writes them: arrays in .npy's format, in base64, in JSON.
//
//   {"lst": [[RUNNER, [{"outputs": {NAME: {"values": ARRAY}}}, ...]], ...]}   RunResults
//   [{NAME: ARRAY, ...}, ...]                                                 inputs
//   ARRAY: {"array": BASE64, "polygraphy_class": "ndarray"}
#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/file_form.h"
#include "record/recordings/npy.h"
#include "record/recordings/recorded_values.h"
#include "record/recordings/value_folder.h"

namespace onnxcmp {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostDepth = 64;  // Polygraphy's own takes ten
constexpr char kClass[] = "polygraphy_class";
// Older versions marked a class by a member of this name with this prefix of its value.
constexpr char kOldClass[] = "__polygraphy_encoded_";
constexpr char kOldMark[] = "polygraphy_serialized_json_type";

struct Member;

// A JSON value with its relevant parts, its members in the order of the file.
struct Element {
  enum class Type : uint8_t { kOther, kText, kList, kObject };
  Type type = Type::kOther;
  std::string text;
  std::vector<Member> members;  // without names in lists

  bool is_list() const { return type == Type::kList; }
  bool is_object() const { return type == Type::kObject; }
  // The last of several members of one name, as in Python; null if there is none.
  const Element* Find(absl::string_view name) const;
  const std::string* Text(absl::string_view name) const;
  // The class named by an object; "" if it has none.
  absl::string_view Class() const;
};

struct Member {
  std::string name;
  Element value;
};

const Element* Element::Find(absl::string_view name) const {
  for (size_t i = is_object() ? members.size() : 0; i > 0; --i) {
    if (members[i - 1].name == name) return &members[i - 1].value;
  }
  return nullptr;
}

const std::string* Element::Text(absl::string_view name) const {
  const Element* found = Find(name);
  return found != nullptr && found->type == Type::kText ? &found->text : nullptr;
}

absl::string_view Element::Class() const {
  if (const std::string* name = Text(kClass)) return *name;
  for (const auto& [name, value] : members) {
    if (value.type == Type::kText && value.text == kOldMark && absl::StartsWith(name, kOldClass)) {
      return absl::string_view(name).substr(sizeof(kOldClass) - 1);
    }
  }
  return "";
}

// Builds elements; leaves out numbers.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(Element* root) { open_.push_back(root); }

  bool null() override { return Add(Element()); }
  bool boolean(bool /*value*/) override { return Add(Element()); }
  bool number_integer(number_integer_t /*value*/) override { return Add(Element()); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return Add(Element()); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return Add(Element());
  }
  bool string(string_t& value) override {
    return Add({Element::Type::kText, std::move(value), {}});
  }
  bool binary(binary_t& /*value*/) override { return Add(Element()); }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool start_object(size_t /*size*/) override { return Open(Element::Type::kObject); }
  bool start_array(size_t /*size*/) override { return Open(Element::Type::kList); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool parse_error(size_t position, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    error_ = absl::StrCat("it is no JSON at byte ", position);
    return false;
  }

  const std::string& error() const { return error_; }

 private:
  bool Add(Element element) {
    if (open_.size() == 1) {
      *open_.back() = std::move(element);
    } else {
      open_.back()->members.push_back({std::move(key_), std::move(element)});
    }
    key_.clear();
    return true;
  }
  bool Open(Element::Type type) {
    if (open_.size() > kMostDepth) {
      error_ = absl::StrCat("it is nested more than ", kMostDepth, " deep");
      return false;
    }
    Element* around = open_.back();
    const bool root = open_.size() == 1;
    Add({type, "", {}});
    open_.push_back(root ? around : &around->members.back().value);
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  std::vector<Element*> open_;  // the root, then the open ones
  std::string key_;
  std::string error_;
};

// Bytes that were written as characters of the same numbers.
std::optional<std::string> FromLatin1(absl::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      bytes += text[i];
    } else if ((byte == 0xc2 || byte == 0xc3) && i + 1 < text.size()) {
      bytes += static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
    } else {
      return std::nullopt;
    }
  }
  return bytes;
}

// The text of an array, possibly inside wrappers; an error describes other content.
absl::StatusOr<const std::string*> ArrayText(const Element& element) {
  constexpr int kMostWrappers = 4;
  const Element* inner = &element;
  for (int i = 0; i < kMostWrappers && inner->is_object(); ++i) {
    const absl::string_view type = inner->Class();
    if (type == "Tensor") {
      return absl::UnimplementedError(
          "is a torch.Tensor, which only Python can read; let the runner give NumPy's arrays");
    }
    if (type == "ndarray") {
      const std::string* text = inner->Text("array");
      if (text == nullptr) return absl::InvalidArgumentError("is an array without data");
      return text;
    }
    const bool wraps = type == "LazyArray" || type == "LazyNumpyArray" || type == "FormattedArray";
    const Element* wrapped = inner->Find(type == "FormattedArray" ? "array" : "values");
    if (!wraps || wrapped == nullptr) break;
    inner = wrapped;
  }
  return absl::InvalidArgumentError("is no array as Polygraphy writes them");
}

// One file, shared by its sets.
struct Document {
  std::string path;
  Element root;
};

class PolygraphyValues : public RecordedValues {
 public:
  PolygraphyValues(std::shared_ptr<const Document> document, int64_t max_tensor)
      : document_(std::move(document)), max_tensor_(max_tensor) {}

  // `runner`: the runner of these arrays, "" if it is the only one.
  absl::Status Add(const Element& arrays, const std::string& runner) {
    absl::flat_hash_map<absl::string_view, const Element*> last;  // wins, as in Python
    for (const auto& [name, element] : arrays.members) last[name] = &element;
    for (const auto& [name, element] : arrays.members) {
      if (&element != last[name]) continue;
      absl::StatusOr<const std::string*> text = ArrayText(element);
      if (!text.ok()) {
        return absl::Status(text.status().code(),
                            absl::StrCat(Quoted(name), " ", text.status().message()));
      }
      results_.emplace_back().name = runner.empty() ? name : absl::StrCat(runner, "/", name);
      texts_.push_back(*text);
    }
    return absl::OkStatus();
  }
  void Note(std::string note) { notes_.push_back(std::move(note)); }

  absl::StatusOr<Read> ReadValue(size_t index) override {
    std::string bytes;
    if (!absl::Base64Unescape(*texts_[index], &bytes)) {
      std::optional<std::string> old = FromLatin1(*texts_[index]);
      if (!old.has_value() || !absl::StartsWith(*old, "\x93NUMPY")) {
        return Damaged(index, absl::InvalidArgumentError("its data are not in base64"));
      }
      bytes = *std::move(old);
    }
    BytesSource source(bytes);
    absl::StatusOr<NpyArray> array = ReadNpy(source, max_tensor_);
    if (!array.ok()) return Damaged(index, array.status());
    return Read{std::move(array->tensor), array->opaque};
  }

 private:
  absl::Status Damaged(size_t index, const absl::Status& status) const {
    return Annotate(status,
                    absl::StrCat(OneLine(document_->path), ": ", Quoted(results_[index].name)));
  }

  std::shared_ptr<const Document> document_;
  int64_t max_tensor_;
  std::vector<const std::string*> texts_;  // in the document
};

// The arrays of one iteration, by runner.
struct Iteration {
  std::vector<std::pair<std::string, const Element*>> runners;
};

absl::Status NoResults() {
  return absl::InvalidArgumentError(
      absl::StrCat("this is JSON, but not of the form that Polygraphy writes; ", kHowToRecord));
}

// The iterations of RunResults, by number.
absl::StatusOr<std::vector<Iteration>> IterationsOfRuns(const Element& runs) {
  std::vector<Iteration> iterations;
  for (const auto& run : runs.members) {
    const Element& pair = run.value;
    if (!pair.is_list() || pair.members.size() != 2 ||
        pair.members[0].value.type != Element::Type::kText || !pair.members[1].value.is_list()) {
      return NoResults();
    }
    const std::vector<Member>& results = pair.members[1].value.members;
    iterations.resize(std::max(iterations.size(), results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
      const Element* outputs = results[i].value.Find("outputs");
      if (outputs == nullptr || !outputs->is_object()) return NoResults();
      iterations[i].runners.emplace_back(pair.members[0].value.text, outputs);
    }
  }
  return iterations;
}

absl::StatusOr<std::vector<Iteration>> IterationsOf(const Element& root) {
  const Element* runs = root.Find("lst");
  if (runs != nullptr && runs->is_list() && root.Class() == "RunResults") {
    return IterationsOfRuns(*runs);
  }
  std::vector<Iteration> iterations;
  if (root.is_object() && root.Class() == "IterationResult") {
    const Element* outputs = root.Find("outputs");
    if (outputs == nullptr || !outputs->is_object()) return NoResults();
    iterations.push_back({{{"", outputs}}});
    return iterations;
  }
  const auto add = [&](const Element& arrays) {
    // Numbers and lists of them are no arrays: such a file is not in Polygraphy's format.
    const bool any = std::any_of(arrays.members.begin(), arrays.members.end(),
                                 [](const auto& one) { return !one.value.Class().empty(); });
    if (!arrays.is_object() || !any) return false;
    iterations.push_back({{{"", &arrays}}});
    return true;
  };
  if (root.is_list()) {
    for (const auto& one : root.members) {
      if (!add(one.value)) return NoResults();
    }
  } else if (!add(root)) {
    return NoResults();
  }
  return iterations;
}

absl::StatusOr<std::vector<RecordedSet>> SetsOf(const std::shared_ptr<const Document>& document,
                                                int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(const std::vector<Iteration> iterations, IterationsOf(document->root));
  if (iterations.empty()) return absl::InvalidArgumentError("there are no results in it");
  std::vector<RecordedSet> sets;
  for (size_t i = 0; i < iterations.size(); ++i) {
    auto values = std::make_unique<PolygraphyValues>(document, max_tensor);
    std::vector<std::string> runners;
    for (const auto& [runner, arrays] : iterations[i].runners) {
      OC_RETURN_IF_ERROR(values->Add(*arrays, runners.empty() ? "" : runner));
      runners.push_back(runner);
    }
    if (runners.size() > 1) {
      values->Note(absl::StrCat("results of several runners: ", ListNames(runners),
                                "; those of all but the first have its name before theirs"));
    }
    sets.push_back(
        {iterations.size() == 1 ? "" : absl::StrCat("iteration ", i), std::move(values)});
  }
  return sets;
}

}  // namespace

absl::StatusOr<std::vector<RecordedSet>> OpenPolygraphy(const std::string& path,
                                                        int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  auto document = std::make_shared<Document>();
  document->path = path;
  Builder builder(&document->root);
  const absl::string_view bytes = file->bytes();
  if (!Json::sax_parse(bytes.begin(), bytes.end(), &builder)) {
    return absl::InvalidArgumentError(absl::StrCat(OneLine(path), ": ", builder.error()));
  }
  absl::StatusOr<std::vector<RecordedSet>> sets = SetsOf(document, max_tensor);
  if (!sets.ok()) return Annotate(sets.status(), OneLine(path));
  return sets;
}

}  // namespace onnxcmp
