import type { FormatTest } from '../format-test.ts'

export const text: FormatTest = {
  damage: (text) => text.split('\n').filter((line) => /^high x/.test(line)),
}
