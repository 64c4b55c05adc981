import { expect, it } from 'vitest'
import { classOf, framesOf } from '../../src/model/errors.ts'

it('the frames of an error do not quote it', () => {
  const frames = framesOf(new TypeError('a text of the service\n    at fault: it says'))
  expect(frames).toMatch(/^TypeError\n {4}at /)
  expect(frames).not.toContain('a text of the service')
})

it('what is thrown without frames has its class only', () => {
  const bare = new RangeError('much')
  delete bare.stack
  expect([framesOf(bare), framesOf('a text'), framesOf(undefined)]).toEqual(['RangeError', 'string', 'undefined'])
})

it('a class with an odd name is an error', () => {
  expect(classOf(Object.assign(new Error('m'), { name: '<b>' }))).toBe('Error')
})
