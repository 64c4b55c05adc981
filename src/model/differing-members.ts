const quote = '"'.charCodeAt(0)
const backslash = '\\'.charCodeAt(0)
const comma = ','.charCodeAt(0)
/** How deep a character leads into objects and lists, by its code. */
const steps = new Int8Array(128)
for (const [character, step] of Object.entries({ '{': 1, '[': 1, '}': -1, ']': -1 })) {
  steps[character.charCodeAt(0)] = step
}

/**
 * The members in which two objects differ, from their canonical JSON, as JSON of two objects. Members at the beginning
 * and at the end that both share are left out: most of two versions is the same, and to parse both takes longer.
 */
export function differingMembers(before: string, after: string): readonly [string, string] {
  if (before === after) return ['{}', '{}']
  const start = lastMemberBefore(before, firstDifferingIndex(before, after))
  // What both end with, and not what they begin with.
  const most = Math.min(before.length, after.length) - start
  let common = 0
  while (
    common < most &&
    before.charCodeAt(before.length - 1 - common) === after.charCodeAt(after.length - 1 - common)
  ) {
    common += 1
  }
  // It begins between two members of one, so it does in the other: its braces and quotes would not close otherwise.
  const end = memberEndFrom(before, start, before.length - common)
  return [`{${before.slice(start, end)}}`, `{${after.slice(start, end + after.length - before.length)}}`]
}

function firstDifferingIndex(before: string, after: string): number {
  let at = 0
  while (before.charCodeAt(at) === after.charCodeAt(at)) at += 1
  return at
}

/** Where the last member begins that begins at an index or before it. */
function lastMemberBefore(text: string, index: number): number {
  let [start, depth] = [1, 0]
  for (let at = 0; at < index; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    else if (code === comma && depth === 1) start = at + 1
    else depth += steps[code] ?? 0
  }
  return start
}

/** Where the first member ends that ends at an index or later; `start` is where a member begins. */
function memberEndFrom(text: string, start: number, index: number): number {
  let depth = 1
  for (let at = start; at < text.length - 1; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    else if (code === comma && depth === 1 && at >= index) return at
    else depth += steps[code] ?? 0
  }
  return text.length - 1
}

/** Where a text ends whose opening quote is at `at`. */
function endOfText(text: string, at: number): number {
  let end = text.indexOf('"', at + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, at: number): boolean {
  let count = 0
  while (text.charCodeAt(at - 1 - count) === backslash) count += 1
  return count % 2 === 1
}
