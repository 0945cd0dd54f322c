// Gives a library with no sources of its own yet something to archive.
