import type { BuiltInFrameworkId } from '../../src/report/compliance/built-in-frameworks.ts'

/**
 * The identifiers that the cited part of each published document has: facts, entered from the documents and not from our
 * files. Identifiers that a document marks as withdrawn are not among them.
 */
export const catalogues: Readonly<Record<BuiltInFrameworkId, readonly string[]>> = {
  soc2: [
    ...numbered('CC1.', 5),
    ...numbered('CC2.', 3),
    ...numbered('CC3.', 4),
    ...numbered('CC4.', 2),
    ...numbered('CC5.', 3),
    ...numbered('CC6.', 8),
    ...numbered('CC7.', 5),
    ...numbered('CC8.', 1),
    ...numbered('CC9.', 2),
    ...numbered('A1.', 3),
    ...numbered('C1.', 2),
    ...numbered('PI1.', 5),
  ],
  iso27001: [...numbered('A.5.', 37), ...numbered('A.6.', 8), ...numbered('A.7.', 14), ...numbered('A.8.', 34)],
  'pci-dss': [5, 3, 7, 2, 4, 5, 3, 6, 5, 7, 6, 10].flatMap((count, at) => numbered(`${at + 1}.`, count)),
  'nist-csf': [
    ...['GV.OC', 'GV.RM', 'GV.RR', 'GV.PO', 'GV.OV', 'GV.SC', 'ID.AM', 'ID.RA', 'ID.IM'],
    ...['PR.AA', 'PR.AT', 'PR.DS', 'PR.PS', 'PR.IR', 'DE.CM', 'DE.AE'],
    ...['RS.MA', 'RS.AN', 'RS.CO', 'RS.MI', 'RC.RP', 'RC.CO'],
  ],
  // Base controls of the families that the file names.
  'nist-800-53': [
    ...numbered('AC-', 25, [13, 15]),
    ...numbered('CA-', 9, [4]),
    ...numbered('CM-', 14),
    ...numbered('IA-', 12),
    ...numbered('RA-', 10, [4]),
    ...numbered('SC-', 51, [9, 14, 19, 33]),
    ...numbered('SI-', 23, [9]),
  ],
  // The safeguards of controls 1 to 18: 153.
  cis: [5, 7, 14, 12, 6, 8, 7, 12, 7, 7, 5, 8, 11, 9, 7, 14, 9, 5].flatMap((count, at) =>
    numbered(`${at + 1}.`, count),
  ),
  hipaa: [
    ...['(a)(1)', '(a)(2)(i)', '(a)(2)(ii)', '(a)(2)(iii)', '(a)(2)(iv)', '(b)'],
    ...['(c)(1)', '(c)(2)', '(d)', '(e)(1)', '(e)(2)(i)', '(e)(2)(ii)'],
  ].map((paragraph) => `164.312${paragraph}`),
  // Articles 7 to 10; paragraphs with points are there as a whole too.
  dora: [
    ...lettered('7', 'abcd'),
    ...paragraphs('8', 7),
    ...paragraphs('9', 4),
    ...lettered('9(3)', 'abcd'),
    ...lettered('9(4)', 'abcdef'),
    ...paragraphs('10', 4),
  ],
  nis2: lettered('21(2)', 'abcdefghij'),
}

/** `count`: the last number. */
function numbered(prefix: string, count: number, withdrawn: readonly number[] = []): string[] {
  const numbers = Array.from({ length: count }, (_, at) => at + 1)
  return numbers.filter((number) => !withdrawn.includes(number)).map((number) => `${prefix}${number}`)
}

function paragraphs(article: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${article}(${at + 1})`)
}

function lettered(paragraph: string, letters: string): string[] {
  return [...letters].map((letter) => `${paragraph}(${letter})`)
}
