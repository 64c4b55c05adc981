import { readFileSync, writeSync } from 'node:fs'

// Loaded before a program: says on stderr, as the last line, how much memory it had at its highest, in kB.
process.on('exit', () => {
  writeSync(2, `\n${/^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]}\n`)
})
