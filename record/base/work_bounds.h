// Bounds on work, one table for all rooms: how far a walk goes, how many trials a question may
// cost, how long a list is. None of them measures a value. A search that meets its bound ends
// without an answer, never with another one; so the sizes are few and round, and a new search takes
// one of them. A bound that a type or a cost gives by itself, as bytes or elements, stands with its
// reason in the file that has it.
#ifndef ONNXCMP_RECORD_BASE_WORK_BOUNDS_H_
#define ONNXCMP_RECORD_BASE_WORK_BOUNDS_H_

namespace onnxcmp::work_bounds {

// Nodes from a result to the one that explains it: a Cast, a Transpose, a bias, an activation.
inline constexpr int kHops = 4;
// Nodes of a chain that is followed to its other end.
inline constexpr int kLongHops = 8;
// Levels of patterns in patterns, and of bodies in bodies.
inline constexpr int kNesting = 16;

// Names in a sentence, and findings that a reader gets in full.
inline constexpr int kNamed = 4;
// Entries of a list.
inline constexpr int kShown = 8;
// The same of a part that is read as a whole: decades, the lines above a table, nodes in a
// sentence.
inline constexpr int kLines = 10;
// Rows of a table that is folded to about a screen, and of a long list that has one to itself.
inline constexpr int kRows = 20;
inline constexpr int kLongList = 24;

// Trials of one question that cost a run of the model, or of a part of it: where the first ones
// should tell, and where they may not.
inline constexpr int kFewTrials = 8;
inline constexpr int kTrials = 32;
// Candidates for one result that are looked at without a run; of one model.
inline constexpr int kCandidates = 64;
inline constexpr int kManyCandidates = 256;
// Elements of a value, or results of a model, that are looked at one by one.
inline constexpr int kLooks = 4096;

}  // namespace onnxcmp::work_bounds

#endif  // ONNXCMP_RECORD_BASE_WORK_BOUNDS_H_
