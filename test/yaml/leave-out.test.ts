import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { examineDocument } from '../../src/model/yaml/read-document.ts'

const schema = z.strictObject({
  a: z.int().exactOptional(),
  names: z.record(z.string(), z.int()).default({}),
  list: z.array(z.strictObject({ x: z.int(), deep: z.array(z.int()).default([]) })).default([]),
})
const read = (text: string) => examineDocument(text, { file: 'f.yaml', schema, takesAnyName: true }).document

describe('a file with faulty parts', () => {
  it('is the rest of it, each part at its position', () => {
    const document = read('a: one\nlist:\n  - x: 1\n  - x: two\n  - x: 3\n    deep: [ten, 20, 30]\n')
    expect(document?.value).toEqual({
      names: {},
      list: [
        { x: 1, deep: [] },
        { x: 3, deep: [20, 30] },
      ],
    })
    expect(document?.at(['list', 1, 'deep', 1])).toEqual({ line: 6, column: 21 })
    expect(document?.at(['list', 0, 'x'])).toEqual({ line: 3, column: 8 })
    expect(document?.omittedPaths).toEqual([['a'], ['list', 1, 'x'], ['list', 2, 'deep', 0], ['list', 1]])
  })

  it('lacks what is incomplete', () => {
    expect(read('list: [{ deep: [] }, { x: 2 }]')?.value.list).toEqual([{ x: 2, deep: [] }])
  })

  it('is nothing where no part is right', () => {
    expect([read('[]'), read('3')]).toEqual([undefined, undefined])
  })

  it('treats no name as special', () => {
    const names = read('names: { __proto__: one, constructor: two, toString: 3 }')?.value.names ?? {}
    expect(JSON.stringify(names)).toBe('{"toString":3}')
  })
})
