import { defineConfig } from 'vitest/config'

/** What Stryker runs against each mutant: the tables beside the deciders, without any service or database. */
const include = [
  'audit/prove-identity',
  'audit/reconcile',
  'audit/withhold-removals',
  'history/notification-facts',
  'history/retention',
  'inventory/diff-attributes',
  'notify/find-events',
  'policy/selector',
  'policy/waiver',
  'report/verdict',
  'worker/schedule-planner',
].map((name) => `test/${name}.test.ts`)

export default defineConfig({ test: { include } })
