#!/usr/bin/env node
// npm 10 and older compile each package that has a binding.gyp, which takes make and Python, although better-sqlite3
// brings its binary. npm finds this program before its own node-gyp, and it does nothing.
