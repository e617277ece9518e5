import { ApiProperty } from '@nestjs/swagger';

class FaultItem {
  @ApiProperty({
    description:
      'Place of the fault: a JSON pointer into the body, `?name` for a query parameter, `{name}` for a part of the path.',
    example: '/courriel',
  })
  pointer: string;

  @ApiProperty({ description: 'Name of the broken rule.', example: 'email' })
  code: string;

  @ApiProperty({ description: 'What is wrong, in words.', example: 'invalid e-mail' })
  detail: string;
}

/** Problem details (RFC 9457) with our members. */
export class ProblemItem {
  @ApiProperty({
    description: "Address of the code's documentation.",
    format: 'uri',
    example: 'http://localhost:3000/docs/erreurs#Employe.NotFound',
  })
  type: string;

  @ApiProperty({
    description: 'Short summary, the same for every occurrence of the code.',
    example: 'Employee not found',
  })
  title: string;

  @ApiProperty({ description: 'HTTP status.', type: 'integer', example: 404 })
  status: number;

  @ApiProperty({
    description: 'What happened this time and what to do.',
    example: 'No employee has the external identifier E-0.',
  })
  detail: string;

  @ApiProperty({ description: 'The code, for programs.', example: 'Employe.NotFound' })
  code: string;

  @ApiProperty({
    description: 'This occurrence.',
    format: 'uri',
    example: 'urn:request:5f0c7c9e-3c8e-4a5e-8a63-5a8e0d1f0b1a',
  })
  instance: string;

  @ApiProperty({
    description: 'Trace to quote to the operator.',
    example: '4bf92f3577b34da6a3ce929d0e0e4736',
  })
  traceId: string;

  @ApiProperty({ description: 'Every fault of an invalid request.', type: [FaultItem], required: false })
  errors?: FaultItem[];

  @ApiProperty({ description: 'The module that is not active.', required: false, example: 'vote' })
  module?: string;
}
