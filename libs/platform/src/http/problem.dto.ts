import { ApiProperty } from '@nestjs/swagger';
import { ItemOf } from '../input/record-classes';
import { value } from '../input/values';

class FaultItem extends ItemOf({
  pointer: value.text(
    'Place of the fault: a JSON pointer into the body, `?name` for a query parameter, `{name}` for a part of the path.',
    '/courriel',
  ),
  code: value.text('Name of the broken rule.', 'email'),
  detail: value.text('What is wrong, in words.', 'invalid e-mail'),
}) {}

/** The body of every error: problem details (RFC 9457; docs/contract.md, "Errors") with our members. */
export class ProblemItem extends ItemOf({
  type: value.uri(
    "Address of the code's documentation.",
    'http://localhost:3000/docs/erreurs#Employe.NotFound',
  ),
  title: value.text('Short summary, the same for every occurrence of the code.', 'Employee not found'),
  status: value.integer('HTTP status.', 404),
  detail: value.text(
    'What happened this time and what to do.',
    'No employee has the external identifier E-0.',
  ),
  code: value.text('The code, for programs.', 'Employe.NotFound'),
  instance: value.uri('This occurrence.', 'urn:request:5f0c7c9e-3c8e-4a5e-8a63-5a8e0d1f0b1a'),
  traceId: value.text('Trace to quote to the operator.', '4bf92f3577b34da6a3ce929d0e0e4736'),
}) {
  @ApiProperty({ description: 'Every fault of an invalid request.', type: [FaultItem], required: false })
  errors?: FaultItem[];

  @ApiProperty({ description: 'The module that is not active.', required: false, example: 'vote' })
  module?: string;
}
