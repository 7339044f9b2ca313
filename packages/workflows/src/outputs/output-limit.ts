/** How large an output may be, as upstream has it. */
export const MAX_OUTPUT_BYTES = 256 * 1024
