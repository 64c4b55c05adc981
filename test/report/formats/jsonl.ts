import type { FormatTest } from '../format-test.ts'

export const jsonl: FormatTest = {
  isWhole: true,
  read(text) {
    const lines = text.split('\n').filter((line) => line !== '')
    return { violations: lines.map((line) => JSON.parse(line)), exitCode: undefined }
  },
  damage(text, { violations }) {
    const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).slice(0, -1)
    return lines.length === violations.length ? [] : [`${lines.length} lines for ${violations.length} violations`]
  },
}
