/** `ci` takes some minutes, `full` most of a day. */
export const slices = ['ci', 'full'] as const
export type Slice = (typeof slices)[number]

/** A script of this folder with its arguments. It sends its outcome by `conclude`. */
export interface CampaignPart {
  readonly script: string
  readonly args: (slice: Slice, seed: string) => readonly string[]
}

/** What `npm run prove` runs, in this order. A campaign is the sum of its parts. */
export const campaigns: Readonly<Record<string, readonly CampaignPart[]>> = {
  // An independent implementation says the same of what was and was not scanned, and runs that workers share, with some
  // lost, are those of one process.
  worlds: [
    { script: 'oracle.ts', args: (slice, seed) => [slice === 'ci' ? '40' : '10000', seed] },
    { script: 'oracle.ts', args: (slice, seed) => [slice === 'ci' ? '8' : '10000', seed, '--postgres'] },
    { script: 'pool.ts', args: (slice, seed) => [slice === 'ci' ? '4' : '1000', seed] },
    {
      script: 'pool.ts',
      args: (slice) => (slice === 'ci' ? ['--year', '4', '--projects', '4'] : ['--year', '60']),
    },
  ],
  // A run is committed whole, wherever a process is killed or loses its connection.
  kills: [
    { script: 'kills.ts', args: (slice) => ['--every', slice === 'ci' ? '40' : '1'] },
    { script: 'cuts.ts', args: (slice) => ['--every', slice === 'ci' ? '10' : '1'] },
    {
      script: 'killed-commands.ts',
      args: (slice, seed) => (slice === 'ci' ? [seed, '--random', '10', '--writes', '3'] : [seed]),
    },
  ],
  // A disk that is full, fails or is damaged costs a run and no history.
  disks: [
    {
      script: 'disks.ts',
      args: (slice, seed) => (slice === 'ci' ? [seed, '--every', '40', '--damages', '120'] : [seed]),
    },
  ],
  // A history that moves is the same one.
  copies: [{ script: 'copies.ts', args: (slice) => (slice === 'ci' ? ['--days', '8', '--projects', '4'] : []) }],
  // One process at a time writes to a history, and one that was paused beyond its lease writes nothing more.
  leases: [{ script: 'leases.ts', args: (slice) => (slice === 'ci' ? ['--processes', '8', '--rounds', '20'] : []) }],
  // Clocks that are set back and forth miss and double no tick, and make no age negative.
  clocks: [
    {
      script: 'clocks.ts',
      args: (slice, seed) => (slice === 'ci' ? ['1', seed, '--days', '120', '--fleets', '10'] : ['40', seed]),
    },
  ],
  // Of what a service should not send, nothing is taken for gone, resolved or met, and nothing ends the audit.
  answers: [
    { script: 'answers.ts', args: (slice, seed) => [slice === 'ci' ? '1536' : '1000000', seed] },
    { script: 'withheld.ts', args: (slice, seed) => [slice === 'ci' ? '40' : '1000', seed] },
    { script: 'withheld.ts', args: (slice, seed) => [slice === 'ci' ? '4' : '1000', seed, '--postgres'] },
  ],
  // An answer that does not come whole is a fault, in time, and the key goes nowhere else.
  transport: [{ script: 'transport.ts', args: (slice, seed) => [slice === 'ci' ? '4000' : '100000', seed] }],
  // What stays while lists change is seen once, or the walk is not complete. Rows of 45,000 projects change during
  // 101,000 walks.
  churn: [{ script: 'churn.ts', args: (slice, seed) => [slice === 'ci' ? '256' : '45000', seed] }],
  // No text of a service acts in an output.
  texts: [{ script: 'texts.ts', args: (slice, seed) => [slice === 'ci' ? '1200' : '100000', seed] }],
  // No policy takes the time or the memory of a run.
  policies: [{ script: 'policies.ts', args: (slice, seed) => [slice === 'ci' ? '600' : '10000', seed] }],
  // Rules say of what the gateway does what was tried on it, or read in its code.
  gateway: [{ script: 'gateway.ts', args: () => [] }],
  // No secret value is stored, logged or printed.
  canaries: [{ script: 'secrets.ts', args: (_, seed) => [seed] }],
}
