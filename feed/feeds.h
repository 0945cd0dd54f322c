// Input values: read from a file and given to a model's inputs by name or by position.
#ifndef ONNXCMP_FEED_FEEDS_H_
#define ONNXCMP_FEED_FEEDS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/recordings/recorded_values.h"

namespace onnxcmp {

// A value that may be fed to an input.
struct NamedValue {
  std::string name;
  Value value;
  // The bits of elements of an unknown type: they take the type of the input they are fed to, if it
  // has their width.
  bool opaque = false;
};

// Recorded inputs of a recording's run.
struct InputsOfRecording {
  std::vector<NamedValue> values;
  // True if these are all inputs. If not, missing ones are made up.
  bool all = false;
  // Results that have an input's name but are no value of it.
  std::vector<std::string> notes;
};

struct MatchedFeeds {
  Feeds feeds;
  // Notes for the user: inputs that were matched by position, values that no input takes.
  std::vector<std::string> notes;
};

// The value info of that name; null if there is none.
const ValueInfo* FindValueInfo(absl::Span<const ValueInfo> values, absl::string_view name);
// Inputs that need a value: those without an initializer, in the graph's order.
std::vector<const ValueInfo*> RequiredInputs(const Graph& graph);
// The required inputs without a value in the feeds.
std::vector<const ValueInfo*> WithoutValue(const Graph& graph, const Feeds& feeds);

// The inputs for `count` files input_0.pb, input_1.pb, ..., in their order: the required inputs if
// there are as many, else all. (Below IR version 4 initializers are inputs too, and test data leave
// them out wherever they stand.)
std::vector<const ValueInfo*> InputsOfFiles(const Graph& graph, size_t count);

// A value converted for an input of this type: opaque bits become elements.
Value ValueFor(const NamedValue& candidate, const TypeInfo& type);

// Gives values to inputs of the same name; remaining values go to the remaining inputs by position,
// if their number, types and ranks agree. InvalidArgument, with both lists, if an input remains
// without a value, and for values that no input takes, which are a note if `partial`. `source`
// names the values in messages: "the file x.npz", "the left model".
absl::StatusOr<MatchedFeeds> MatchFeeds(absl::Span<const NamedValue> values, const Graph& graph,
                                        const std::string& source, bool partial = false);

// As MatchFeeds, but by position first: for values that were made for another model. By name if the
// positions do not agree.
absl::StatusOr<MatchedFeeds> MatchFeedsByPosition(absl::Span<const NamedValue> values,
                                                  const Graph& graph, const std::string& source);

// Reports values that no input takes: an error, or with `partial` a note.
absl::Status UnusedValues(absl::Span<const std::string> names, const std::string& source,
                          bool partial, std::vector<std::string>* notes);

// A file of inputs: a folder of input_0.pb, input_1.pb, ... as ONNX's test data have it, or a
// recording of any format (recorded_values.h), of which the inputs are taken, if they are marked.
// If not, the arrays NAME/values, NAME/indices and NAME/dims are a sparse tensor, NAME/keys and
// NAME/values a map of scalars.
class FeedFile {
 public:
  // No array may take more than `max_tensor` bytes. InvalidArgument for several sets.
  static absl::StatusOr<FeedFile> Open(const std::string& path,
                                       int64_t max_tensor = kDefaultMaxTensor);
  // Values in memory; `source` is what messages call them.
  static FeedFile Of(const std::string& source, RecordedSet set);
  // All sets of inputs in the file, with the recording's names for them.
  static absl::StatusOr<std::vector<FeedFile>> OpenSets(const std::string& path,
                                                        int64_t max_tensor = kDefaultMaxTensor);

  // Reads the graph's inputs. May be called for several graphs; values are shared. `partial` as in
  // MatchFeeds.
  absl::StatusOr<MatchedFeeds> FeedsFor(const Graph& graph, bool partial = false);

  // Parts of that, for callers that match values in their own way.
  const std::string& path() const { return path_; }
  // "" if it is the only one.
  const std::string& set() const { return set_; }
  // True for a folder of input_N.pb.
  bool is_folder() const { return archive_ == nullptr; }
  // A recording's values: their number, their names, and one of them.
  size_t size() const { return entries_.size(); }
  const std::string& name(size_t i) const { return entries_[i].value.name; }
  absl::StatusOr<NamedValue> Read(size_t i);
  // A folder's values: the number of files, the names in them, and the feeds of the graph's inputs
  // by position. InvalidArgument if one of input_0.pb, input_1.pb, ... is missing before the last.
  absl::StatusOr<size_t> CountFiles() const;
  absl::StatusOr<std::vector<std::string>> NamesInFiles() const;
  absl::StatusOr<Feeds> ReadFolder(const Graph& graph) const;
  // File i as a value of this type.
  absl::StatusOr<Value> ReadFile(size_t i, const TypeInfo& type) const;

 private:
  absl::StatusOr<MatchedFeeds> FromFolder(const Graph& graph) const;
  absl::StatusOr<MatchedFeeds> FromArchive(const Graph& graph, bool partial);
  std::string FileName(size_t i) const;  // in a folder
  void TakeEntries(RecordedSet set);
  void JoinParts();

  std::string path_;
  std::string set_;
  std::shared_ptr<RecordedValues> archive_;  // null: a folder
  struct Entry {
    size_t index;  // in the archive
    // Places of the indices and dimensions of a sparse tensor; index is that of its values.
    std::optional<std::pair<size_t, size_t>> sparse = std::nullopt;
    std::optional<size_t> keys = std::nullopt;  // a map's; index is that of its values
    bool read = false;
    NamedValue value;  // its name is known before it is read
  };
  std::vector<Entry> entries_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_FEEDS_H_
