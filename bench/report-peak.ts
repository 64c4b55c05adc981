import { readFileSync, writeFileSync, writeSync } from 'node:fs'

// Loaded before a program: says how much memory it had at its highest, in kB: in the file that HOOKDRIFT_PEAK_FILE names,
// or on stderr, as the last line.
process.on('exit', () => {
  const peak = /^VmHWM:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  const file = process.env.HOOKDRIFT_PEAK_FILE
  if (file === undefined) writeSync(2, `\n${peak}\n`)
  else writeFileSync(file, peak)
})
