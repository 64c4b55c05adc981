import { expect, it } from 'vitest'
import { chooseProjects } from '../../src/app/open-projects.ts'

const projects = ['acme/orders', 'acme/payments'].map((name) => ({ ref: { name, service: 'acme', uid: name } }))

it.each([
  [null, '--project acme/order matches none of acme/orders, acme/payments, did you mean acme/orders?'],
  [
    'nightly',
    'projects of the schedule nightly: acme/order matches none of acme/orders, acme/payments, did you mean acme/orders?',
  ],
])('says who asked for projects that are not there: %s', (schedule, message) => {
  expect(() => chooseProjects(projects, ['acme/order'], { schedule })).toThrow(message)
})

it('takes what is there, and nothing where a list that was not read may have it', () => {
  expect(chooseProjects(projects, ['*/pay*'])).toEqual(projects.slice(1))
  expect(chooseProjects(projects, ['acme/order'], { isWhole: false })).toEqual([])
})
