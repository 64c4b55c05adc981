import type { FormatTest } from '../format-test.ts'

export const json: FormatTest = {
  isWhole: true,
  read(text) {
    const { violations, verdict } = JSON.parse(text)
    return { violations, exitCode: verdict.exit_code }
  },
  damage: () => [],
}
