import type { FormatTest } from '../format-test.ts'

export const jsonl: FormatTest = {
  isWhole: true,
  read(text) {
    const lines = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
    return {
      violations: lines.filter(({ type }) => type === 'violation'),
      exitCode: lines.find(({ type }) => type === 'verdict').exit_code,
    }
  },
  damage(text, { coverage, projects, gaps, notices, drift, notes, causes, violations, accepted }) {
    const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).slice(0, -1)
    const listed = [coverage, projects, gaps, notices, drift, notes, causes, violations, accepted]
    const expected = 2 + listed.reduce((sum, { length }) => sum + length, 0)
    return lines.length === expected ? [] : [`${lines.length} lines instead of ${expected}`]
  },
}
