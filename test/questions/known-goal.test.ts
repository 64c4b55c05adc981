import { expect, it } from 'vitest'
import { knownGoal } from '../../src/questions/known-goal.ts'

const shown = { attributes: { url: 'https://a.example', name: 'a' }, sealKeyId: 'k' }
const hidden = { ...shown, doubts: { url: { cause: 'unseen' } } } as const
const renamed = { target: { url: 'https://a.example', name: 'b' }, changes: [{ path: '/name' }] }
const moved = { target: { url: 'https://b.example', name: 'a' }, changes: [{ path: '/url' }] }

it.each([
  ['a state that shows all is put back', renamed, { former: shown, now: shown, isPresent: false }, ['/name'], 0, 0],
  [
    'a field that is hidden now gets a value that is known',
    renamed,
    { former: shown, now: hidden, isPresent: false },
    ['/name'],
    0,
    0,
  ],
  ['a field that was hidden then stays as it is', moved, { former: hidden, now: shown, isPresent: false }, [], 1, 0],
  [
    'what is hidden in both is not written',
    renamed,
    { former: hidden, now: hidden, isPresent: false },
    ['/name'],
    1,
    1,
  ],
  [
    'nor is what a change leaves as it is',
    renamed,
    { former: undefined, now: hidden, isPresent: true },
    ['/name'],
    0,
    1,
  ],
  ['but a change of it is', moved, { former: undefined, now: hidden, isPresent: true }, ['/url'], 0, 0],
] as const)('%s', (_, goal, basis, changed, steps, obstacles) => {
  const known = knownGoal('endpoint', goal, basis)
  expect(known.changes.map(({ path }) => path)).toEqual(changed)
  expect(known.steps.map(({ path }) => path)).toEqual(Array(steps).fill('/url'))
  expect(known.obstacles.map(({ path }) => path)).toEqual(Array(obstacles).fill('/url'))
})

it('leaves out of a new resource what its last state did not show', () => {
  const { target } = knownGoal('endpoint', renamed, { former: hidden, now: undefined, isPresent: false })
  expect(target).toEqual({ name: 'b' })
})
