/** Formats of an answer. They have a file of their own, because options need no writer. */
export const answerFormats = ['text', 'json', 'csv', 'jsonl'] as const
export type AnswerFormat = (typeof answerFormats)[number]
